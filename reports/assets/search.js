{
// What a search finds: benchdbPages, which stands in the same file, and runs by their ids.
const form = one(".find"), box = one("input", form), hits = one("#hits");
const load = src => new Promise(done => {
  doc.head.append(make("script", {src, onload: done, onerror: done}));
});
let runs;
const {root, folder, index, none} = form.dataset;
const seek = async () => {
  const asked = words(box.value);
  const digest = asked.length == 1 && /^[0-9a-f]{5,}$/.test(asked[0]) && asked[0];
  if (digest) await (runs ??= load(index.replace(/[^/]*$/, "search.runs.js")));
  if (String(asked) != String(words(box.value))) return;
  const found = benchdbPages.flatMap(([kind, pages]) => pages.map(([title, address]) => ({title, kind, to: folder + address + ".html"})))
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
if (doc.activeElement == box && box.value) seek();
}
