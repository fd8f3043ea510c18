"use strict";
// A figure of the reader's own among all of its kind, kept in the address as normal.yours=3f2a91:33.5
for (const table of all("#normal-table")) {
  const name = "normal.yours", say = table.dataset, [low, high, band] = say.scale.split(" ").map(Number);
  const fill = (pattern, facts) => pattern.replace(/\{(\w*)\}/g, (_, fact) => facts[fact]);
  const at = share => Math.min(Math.max(100 * Math.log(share / low) / Math.log(high / low), 0), 100) + "%";
  const th = make("th", {className: "num"}, say.yours);
  th.scope = "col";
  table.tHead.rows[0].lastElementChild.before(th);
  const lines = [...table.tBodies[0].rows].map(row => {
    const {figures, unit, slow} = row.dataset, speed = n => slow == null ? n : 1 / n;
    const speeds = figures.split(" ").map(n => speed(+n)).sort((a, b) => a - b), n = speeds.length;
    const middle = (speeds[n - 1 >> 1] + speeds[n >> 1]) / 2, svg = one(".plot svg", row);
    const input = field(fill(say.of, {unit, work: one("th > bdi", row).textContent}));
    const td = make("td", {className: "num"}, input, one(".fig", row).textContent.endsWith(unit) ? "" : make("small", {}, unit)), out = make("output");
    td.dataset.l = say.yours;
    const usual = row.lastElementChild, line = doc.createElementNS(svg.namespaceURI, "line");
    line.setAttribute("class", "here");
    usual.before(td);
    usual.append(out);
    const show = () => {
      const own = speed(+input.value), share = own / middle;
      line.remove();
      out.textContent = "";
      if (!(own > 0 && share < Infinity)) return;
      const place = at(share);
      Object.entries({x1: place, x2: place, y1: 0, y2: 22}).map(it => line.setAttribute(...it));
      svg.append(line);
      const below = speeds.filter(it => it < own).length, level = speeds.filter(it => it == own).length;
      const verdict = share > band ? say.fast : share < 1 / band ? say.slow : say.normal;
      out.append(fill(verdict, {times: fill(say.times, {"": written(share, share < 1 ? 2 : 3)})}), make("br"),
        fill(say.rank, {n: written(below), all: written(n), percentile: written(Math.round(100 * (below + level / 2) / n))}));
    };
    return {input, show, key: row.id.replace("normal-", "")};
  });
  const show = () => lines.map(l => l.show());
  table.oninput = () => {
    show();
    keepTyped(name, lines);
  };
  typed(name, lines);
  restored(show);
  if (chosen().has(name) && performance.getEntriesByType("navigation")[0]?.type == "navigate") table.scrollIntoView();
}
