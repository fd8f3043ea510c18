"use strict";
// Scripts of the same page use the names before the first brace; all others stay in theirs.
const doc = document, one = (s, e = doc) => e.querySelector(s), all = (s, e = doc) => [...e.querySelectorAll(s)];
const make = (tag, facts, ...parts) => {
  const e = Object.assign(doc.createElement(tag), facts);
  e.append(...parts);
  return e;
};
const lang = doc.documentElement.lang;
// Figures are written as the language does it, in Latin digits.
const written = (n, digits) => n.toLocaleString(lang + "-u-nu-latn", {minimumSignificantDigits: digits, maximumSignificantDigits: digits});
const stem = link => link.getAttribute("href").replace(/^.*\/|\.html$/g, "");

// Words of a question, and text in which they are looked for: case, accents, hyphens, dots and blanks do not count.
const plain = s => s.toLowerCase().normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "");
const words = s => s.split(/\s+/).map(plain).filter(Boolean);

// What a reader chose is kept behind the # of the address: #figures.device=Metal&figures.sort=batch.a
const chosen = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
const keep = (name, value) => {
  const now = chosen();
  value ? now.set(name, value) : now.delete(name);
  const text = String(now).replaceAll("%2C", ",").replaceAll("%3A", ":");
  history.replaceState(history.state, "", text ? "#" + text : location.pathname + location.search);
};
// What puts a part of the page as the address has it, which holds once the page is there.
const restoring = [], restored = restore => {
  restore();
  restoring.push(restore);
};
// Figures that a reader types into fields, by the keys of their lines: chips.price=m1:999,m4-max:3199
const typed = (name, lines) => restored(() => {
  const kept = new Map((chosen().get(name) || "").split(",").map(it => it.split(":")));
  lines.map(l => l.input.value = kept.get(l.key) || "");
});
const keepTyped = (name, lines) => keep(name, lines.filter(l => l.input.value).map(l => l.key + ":" + l.input.value).join());
const field = label => make("input", {type: "number", min: 0, step: "any", ariaLabel: label});

{
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
  if (!location.hash || location.hash.includes("=")) restoring.map(r => r());
  else reveal();
});
if (location.hash && !location.hash.includes("=")) reveal();

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
}
