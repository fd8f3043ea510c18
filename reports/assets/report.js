(() => {
const doc = document, all = (s, e = doc) => [...e.querySelectorAll(s)], id = s => doc.getElementById(s);
const lang = doc.documentElement.lang, rank = id("table-ranking"), values = id("table-values");
const pick = id("baseline"), home = pick?.value, find = id("find"), notes = all("#ranking [data-set]");
const rows = t => [...t.tBodies[0].rows], anchor = () => location.hash.slice(1);
const state = new URLSearchParams(/=/.test(anchor()) ? anchor() : "");
const keep = (k, v) => {
 state.set(k, v);
 history.replaceState(0, "", "#" + state);
};

const times = r => {
 const n = r < .995 ? 1 - Math.floor(Math.log10(r.toPrecision(2))) : (r < 99.95) + (r >= 1.005 && r < 1.095);
 const text = r.toLocaleString(lang + "-u-nu-latn", {minimumFractionDigits: n, maximumFractionDigits: n});
 return rank.dataset.factor.replace("{}", text);
};
const shade = (r, chance) => {
 const n = [1.25, 2, 4, 8].filter(s => Math.max(r, 1 / r) >= s).length;
 return n && Math.abs(Math.log(r)) > chance ? (r > 1 ? "up" : "down") + n : "level";
};
const traits = c => c.dataset.differs?.split(" ") || [];
const unlike = (a, b) => [...new Set([...a, ...b].filter(t => a.includes(t) != b.includes(t))
 .map(t => t.split(":")[0]))].sort().join(" ");
const compare = (cell, base) => {
 const d = cell.dataset, b = base.dataset, other = b.ratio, r = d.ratio / other;
 if (!d.ratio) return;
 const set = other && unlike(traits(cell), traits(base)), note = notes.find(n => n.dataset.set == set);
 d.now = r;
 d.home ??= cell.classList[1];
 cell.classList.replace(cell.classList[1], !other ? "none" : set ? "unlike"
  : pick.value == home ? d.home : shade(r, Math.hypot(d.chance, b.chance)));
 all("b", cell)[0].textContent = other ? times(r) : "–";
 all(".unlike-sign", cell).map(s => s.remove());
 if (!note) return;
 note.hidden = false;
 (all(".signs", cell)[0] || cell).prepend(note.firstChild.content.cloneNode(true));
};
const rebase = () => {
 const base = rows(rank).find(r => r.dataset.key == pick.value);
 notes.map(n => n.hidden = true);
 rows(rank).map(r => {
  r.classList.toggle("baseline", r == base);
  all(".cell", r).map((c, i) => compare(c, base.cells[i + 1]));
 });
};

const key = c => {
 const d = c.dataset, n = d.now ?? d.ratio ?? d.value;
 return n ? +n : c.matches(".cell, .number") ? NaN : c.textContent.trim();
};
const sort = (th, down) => {
 const t = th.closest("table"), i = th.cellIndex, sign = down ? -1 : 1;
 const by = (a, b) => a != a || b != b ? (a != a) - (b != b)
  : sign * (a.trim ? a.localeCompare(b, lang, {numeric: true}) : a - b);
 t.tBodies[0].append(...rows(t).map(r => [key(r.cells[i]), r]).sort((a, b) => by(a[0], b[0])).map(p => p[1]));
 all("th", t.tHead).map(h => h.ariaSort = null);
 th.ariaSort = down ? "descending" : "ascending";
 id("spoken").textContent = th.textContent;
};
const show = () => {
 const part = find.value.trim().toLowerCase(), out = id("found");
 rows(values).map(r => r.hidden = !r.textContent.toLowerCase().includes(part));
 out.textContent = out.dataset.text.replace("#", rows(values).filter(r => !r.hidden).length);
};
const reveal = () => {
 const to = id(anchor());
 if (!to) return;
 if (to.hidden) find.value = "", show();
 all("details").map(d => d.open ||= d.contains(to));
 to.scrollIntoView();
};

all("[data-live]").map(e => e.hidden = e.dataset.live == "off");
if (pick) {
 pick.value = state.get("baseline");
 pick.value ? rebase() : pick.value = home;
 pick.onchange = () => { rebase(); keep("baseline", pick.value); };
}
if (find) {
 find.value = state.get("find");
 id("all-values").open ||= find.value;
 find.oninput = () => { show(); keep("find", find.value); };
 show();
}
all("th[data-sort]").map(th => {
 const b = doc.createElement("button"), name = th.closest("table").dataset.name, i = th.cellIndex;
 b.append(...th.childNodes);
 th.append(b);
 b.onclick = () => {
  const down = th.ariaSort != "descending";
  sort(th, down);
  keep(name, i + (down ? "d" : "a"));
 };
 const [, n, d] = /(\d+)(.)/.exec(state.get(name)) || [];
 if (n == i) sort(th, d == "d");
});
(onhashchange = reveal)();
let shut;
onbeforeprint = () => (shut = all("details:not([open])")).map(d => d.open = true);
onafterprint = () => shut.map(d => d.open = false);
})();
