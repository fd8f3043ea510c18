"use strict";
{
const mark = written(1.5)[1];
const number = s => parseFloat(s.replaceAll("−", "-").replace(RegExp(`[^\\d${mark}-]`, "g"), "").replace(mark, "."));
const text = c => [...c.childNodes].map(n => n.textContent.trim()).filter(Boolean).join(" ");
const label = c => (c.firstElementChild || c).textContent.trim();

const copied = async s => {
  try { await navigator.clipboard.writeText(s); } catch {
    const area = make("textarea", {value: s});
    doc.body.append(area);
    area.select();
    doc.execCommand("copy");
    area.remove();
  }
};
// A spreadsheet would calculate what begins like a formula.
const defused = s => /^[=+\-@\t\r＝＋－＠]/.test(s) && !/^[-+]?[\d.,\s]+$/.test(s) ? "'" + s : s;
const formats = {
  csv: rows => rows.map(r => r.map(defused).map(s => /[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s).join(",")).join("\r\n") + "\r\n",
  md: ([head, ...rows], heads) => [head, heads.map(h => h.matches(".num") ? "---:" : "---"), ...rows]
    .map(r => `| ${r.map(s => s.replace(/[|\\]/g, "\\$&")).join(" | ")} |`).join("\n") + "\n",
};

const tables = all("table[data-tool]").map((table, place) => {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], rows = [...body.rows];
  const cells = rows.map(r => [...r.cells]), known = [];
  const sought = i => known[i] ??= cells[i].map(c => plain(c.textContent)).join("|");
  const before = table.closest(".scroller") || table;
  before.before(one("#tool").content.cloneNode(true));
  const tool = before.previousElementSibling, find = one("input", tool), out = one("output", tool);
  const id = table.dataset.tool || table.id || "t" + place, name = k => id + "." + k;
  heads.map((th, i) => th.dataset.key ??= "c" + i);

  // Values of a column to choose from; what is written in each language by its place, else by address or text.
  const choices = make("div", {className: "chips"});
  const groups = heads.flatMap((th, i) => {
    if (!("few" in th.dataset)) return [];
    const labels = cells.map(r => label(r[i])), texts = [...new Set(labels)];
    if (texts.length < 2) return [];
    const keys = new Map(texts.map((t, n) => {
      const link = one("a", cells[labels.indexOf(t)][i]);
      return [t, link ? stem(link) : "words" in th.dataset ? `${n}` : t];
    }));
    const buttons = texts.map(t => make("button", {type: "button", value: keys.get(t), ariaPressed: "false"}, t || "–"));
    choices.append(make("div", {role: "group", ariaLabel: th.textContent}, make("span", {}, th.textContent), ...buttons));
    return [{name: name(th.dataset.key), buttons, of: labels.map(t => keys.get(t))}];
  });
  if (groups.length) tool.append(choices);
  const on = g => g.buttons.filter(b => b.ariaPressed == "true").map(b => b.value);

  const show = () => {
    const wanted = words(find.value), picks = groups.map(g => [g, on(g)]).filter(p => p[1].length);
    rows.forEach((r, i) => {
      r.hidden = !(wanted.every(w => sought(i).includes(w)) && picks.every(([g, p]) => p.includes(g.of[i])));
    });
    const n = rows.filter(r => !r.hidden).length;
    out.textContent = n ? out.dataset.text.replace("#", written(n)).replace("@", written(rows.length)) : out.dataset.none;
  };
  const sort = (th, down) => {
    const i = heads.indexOf(th), sign = down ? -1 : 1, num = th.matches(".num");
    const key = c => num ? c.dataset.v ? +c.dataset.v : number(label(c)) : /^t\d$/.test(c.className) ? c.className : label(c).replace(/^–$/, "");
    const by = ([a], [b]) => num ? isNaN(a) || isNaN(b) ? isNaN(a) - isNaN(b) : sign * (a - b)
      : !a || !b ? !a - !b : sign * a.localeCompare(b, lang, {numeric: true});
    body.append(...cells.map((r, n) => [key(r[i]), rows[n]]).sort(by).map(p => p[1]));
    heads.map(h => h.ariaSort = h == th ? down ? "descending" : "ascending" : null);
  };
  const restore = () => {
    const now = chosen(), [, key, way] = /^(.+)\.([ad])$/.exec(now.get(name("sort"))) || [];
    find.value = now.get(name("find")) || "";
    for (const g of groups) {
      const picked = (now.get(g.name) || "").split(",");
      g.buttons.map(b => b.ariaPressed = String(picked.includes(b.value)));
    }
    const th = heads.find(h => h.dataset.key == key);
    if (th) sort(th, way == "d");
    else if (heads.some(h => h.ariaSort)) {
      body.append(...rows);
      heads.map(h => h.ariaSort = null);
    }
    show();
  };

  heads.filter(th => th.textContent.trim() && !th.matches(".plot")).map(th => {
    const onclick = () => {
      const down = th.ariaSort ? th.ariaSort == "ascending" : th.matches(".num");
      sort(th, down);
      keep(name("sort"), th.dataset.key + (down ? ".d" : ".a"));
    };
    th.append(make("button", {type: "button", onclick}, ...th.childNodes));
  });
  find.oninput = () => { show(); keep(name("find"), find.value); };
  tool.onclick = async ({target: b}) => {
    if (b.ariaPressed) {
      b.ariaPressed = String(b.ariaPressed != "true");
      const g = groups.find(g => g.buttons.includes(b));
      show();
      keep(g.name, on(g).join(","));
    } else if (formats[b.name]) {
      const seen = heads.map((h, i) => i).filter(i => heads[i].offsetWidth && !heads[i].matches(".plot"));
      const lines = [heads, ...[...body.rows].filter(r => !r.hidden).map(r => [...r.cells])];
      await copied(formats[b.name](lines.map(r => seen.map(i => text(r[i]))), seen.map(i => heads[i])));
      const was = b.textContent;
      b.textContent = b.dataset.done;
      setTimeout(() => b.textContent = was, 1500);
    }
  };
  restored(restore);
  return {tool, id};
});
if (location.hash.includes("=") && performance.getEntriesByType("navigation")[0]?.type == "navigate") {
  const first = [...chosen().keys()][0].split(".")[0];
  tables.find(t => t.id == first)?.tool.scrollIntoView();
}
}

