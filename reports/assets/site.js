"use strict";
(() => {
const doc = document, one = (s, e = doc) => e.querySelector(s), all = (s, e = doc) => [...e.querySelectorAll(s)];
const make = (tag, facts, ...parts) => {
  const e = Object.assign(doc.createElement(tag), facts);
  e.append(...parts);
  return e;
};
const lang = doc.documentElement.lang;

// Words of a question, and text in which they are looked for: case, accents, hyphens, dots and blanks do not count.
const plain = s => s.toLowerCase().normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "");
const words = s => s.split(/\s+/).map(plain).filter(Boolean);

// What a reader chose is kept behind the # of the address: #figures.device=Metal&figures.sort=batch.a
const chosen = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
const keep = (name, value) => {
  const now = chosen();
  value ? now.set(name, value) : now.delete(name);
  const text = String(now).replaceAll("%2C", ",");
  history.replaceState(history.state, "", text ? "#" + text : location.pathname + location.search);
};

// Figures are written as the language does it, in Latin digits.
const mark = (1.5).toLocaleString(lang + "-u-nu-latn")[1];
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
  const cells = rows.map(r => [...r.cells]), sought = cells.map(r => r.map(c => plain(c.textContent)).join("|"));
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
      return [t, link ? link.getAttribute("href").replace(/^.*\/|\.html$/g, "") : "words" in th.dataset ? `${n}` : t];
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
      r.hidden = !(wanted.every(w => sought[i].includes(w)) && picks.every(([g, p]) => p.includes(g.of[i])));
    });
    const n = rows.filter(r => !r.hidden).length, whole = k => k.toLocaleString(lang + "-u-nu-latn");
    out.textContent = n ? out.dataset.text.replace("#", whole(n)).replace("@", whole(rows.length)) : out.dataset.none;
  };
  const sort = (th, down) => {
    const i = heads.indexOf(th), sign = down ? -1 : 1, num = th.matches(".num");
    const key = c => num ? c.dataset.v ? +c.dataset.v : number(label(c)) : label(c).replace(/^–$/, "");
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
    else {
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
  restore();
  return {tool, restore, id};
});

// Links to headings, the section that is read, what is inside closed details.
all("main :is(section[id] > h2, h2[id])").filter(h => !one(".perm", h)).map(h => {
  const a = one("#perm").content.firstElementChild.cloneNode(true);
  a.href = "#" + (h.id || h.parentElement.id);
  h.append(a);
});
const parts = all(".toc a").map(a => [a, doc.getElementById(a.hash.slice(1))]).filter(p => p[1]);
const mind = () => {
  const read = parts.findLast(p => p[1].getBoundingClientRect().top < innerHeight / 3) || parts[0];
  parts.map(p => p[0].classList.toggle("on", p == read));
};
if (parts.length) {
  addEventListener("scroll", mind, {passive: true});
  mind();
}
const reveal = () => {
  const to = doc.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!to) return;
  for (let e = to; e; e = e.parentElement) if (e.open === false) e.open = true;
  to.scrollIntoView();
};
addEventListener("hashchange", () => {
  if (!location.hash || location.hash.includes("=")) tables.map(t => t.restore());
  else reveal();
});
if (location.hash.includes("=")) {
  const kind = performance.getEntriesByType("navigation")[0]?.type;
  const first = [...chosen().keys()][0].split(".")[0];
  if (kind == "navigate") tables.find(t => t.id == first)?.tool.scrollIntoView();
} else if (location.hash) reveal();

// The same page in another language keeps what was chosen.
const tongues = one(".tongues");
if (tongues) tongues.ontoggle = () => all("a", tongues).map(a => a.hash = location.hash);
addEventListener("click", e => { if (tongues?.open && !tongues.contains(e.target)) tongues.open = false; });

// Search: the list of pages comes with the first letter.
const form = one(".find"), box = one("input", form), hits = one("#hits");
const load = src => new Promise(done => {
  doc.head.append(make("script", {src, onload: done, onerror: done}));
});
const loaded = {}, once = src => loaded[src] ??= load(src);
const {root, folder, index, none} = form.dataset;
const seek = async () => {
  const asked = words(box.value);
  if (asked.length) await once(index);
  const digest = asked.length == 1 && /^[0-9a-f]{5,}$/.test(asked[0]) && asked[0];
  if (digest) await once(index.replace(/[^/]*$/, "search.runs.js"));
  if (String(asked) != String(words(box.value))) return;
  const found = (self.benchdbPages || []).flatMap(([kind, pages]) => pages.map(([title, address]) => ({title, kind, to: folder + address + ".html"})))
    .map(p => ({...p, key: plain(p.title + p.kind)})).filter(p => asked.every(w => p.key.includes(w)));
  const rank = p => (p.key.startsWith(asked[0]) ? 0 : 1000) + p.title.length;
  found.sort((a, b) => rank(a) - rank(b));
  if (digest) for (const line of (self.benchdbRuns || "").split("\n")) {
    const [id, ...others] = line.split(" ");
    // Of the other processes on a page eight letters are known.
    if (id.startsWith(digest) || digest.startsWith(id) || others.some(o => o.startsWith(digest) || digest.startsWith(o)))
      found.push({title: id, kind: "", to: root + "run/" + id + ".html"});
  }
  const shown = found.slice(0, 9).map((p, i) =>
    make("li", {role: "option", id: "hit-" + i, to: p.to}, make("bdi", {}, p.title), make("small", {}, p.kind)));
  hits.replaceChildren(...shown.length ? shown : [make("li", {role: "option", id: "hit-0"}, none)]);
  hits.hidden = !asked.length;
  box.ariaExpanded = String(!hits.hidden);
  move(0);
};
const move = to => {
  const options = all("li", hits), i = (to + options.length) % options.length;
  options.map((li, n) => li.ariaSelected = String(n == i));
  options.length ? box.setAttribute("aria-activedescendant", "hit-" + i) : box.removeAttribute("aria-activedescendant");
};
const close = () => { hits.hidden = true; box.ariaExpanded = "false"; };
box.oninput = seek;
box.onblur = close;
box.onfocus = () => box.value && seek();
box.onkeydown = e => {
  const step = {ArrowDown: 1, ArrowUp: -1}[e.key];
  if (step && !hits.hidden) {
    e.preventDefault();
    move(all("li", hits).findIndex(li => li.ariaSelected == "true") + step);
  }
  if (e.key == "Escape") close();
};
hits.onpointerdown = e => e.preventDefault();
const go = li => { if (li?.to) location.href = li.to; };
hits.onclick = e => go(e.target.closest("li"));
form.onsubmit = async e => {
  e.preventDefault();
  await seek();
  go(one("[aria-selected=true]", hits));
};

// The pickers of the front page lead to a chip's own page, or to the pair.
const pick = one(".pick[data-compare]");
if (pick) pick.onsubmit = event => {
  event.preventDefault();
  const [mac, other] = all("select", pick);
  location.href = event.submitter.name ? mac.selectedOptions[0].dataset.page : `${pick.dataset.compare}#a=${mac.value}&b=${other.value}`;
};
})();
