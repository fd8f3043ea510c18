"use strict";
{
// The pickers of the front page lead to a chip's own page, or to the pair.
const pick = one(".pick");
pick.onsubmit = event => {
  event.preventDefault();
  const [mac, other] = all("select", pick);
  location.href = event.submitter.name ? mac.selectedOptions[0].dataset.page : `${pick.dataset.compare}#a=${mac.value}&b=${other.value}`;
};

// Prices of the reader's own, in whatever money. This runs before tables.js, which makes the new columns sortable.
const button = one("#prices"), name = "chips.price", {head, of} = button.dataset;
const cell = (tag, ...parts) => make(tag, {className: "num money"}, ...parts);
const column = (key, text) => {
  const th = cell("th", text);
  th.scope = "col";
  th.dataset.key = key;
  return th;
};
const tables = all("[data-money]"), lines = tables.flatMap(table => {
  const rates = all("[data-per]", table), places = rates.map(th => th.cellIndex);
  table.tHead.rows[0].append(column("price", head), ...rates.map(th => column("per-" + th.dataset.key, th.dataset.per)));
  return [...table.tBodies[0].rows].map(row => {
    const chip = one("a", row), input = field(of.replace("#", chip.textContent));
    const figures = places.map(i => row.cells[i]), work = figures.map(() => cell("td"));
    row.append(cell("td", input), ...work);
    return {input, figures, work, key: stem(chip)};
  });
});
const show = () => lines.map(({input, figures, work}) => {
  input.parentElement.dataset.v = input.value;
  work.map((td, k) => {
    const n = input.value > 0 && figures[k].dataset.v / input.value * 1000;
    td.dataset.v = n || "";
    td.textContent = n ? written(n, 3) : "–";
  });
});
const open = shown => {
  button.ariaPressed = String(shown);
  tables.map(table => table.classList.toggle("priced", shown));
};
const save = () => keepTyped(name, button.ariaPressed == "true" ? lines : []);
button.onclick = () => {
  open(button.ariaPressed != "true");
  save();
};
// Rows stay where they are while somebody types.
tables.map(table => table.oninput = () => {
  show();
  save();
  all(".money", table.tHead).map(th => th.ariaSort = null);
});
typed(name, lines);
restored(() => {
  open(chosen().has(name));
  show();
});
}
