"use strict";
{
const pick = one("#pick"), a = one("#a"), b = one("#b"), like = one("#like"), unknown = one("#unknown"), say = JSON.parse(one("#words").textContent);
const known = self.benchdb ??= {};

// What benchdb/site/compare/view.py and the template write of the first pair is written here of any other.
const esc = s => String(s).replace(/[&<>"']/g, c => `&#${c.charCodeAt()};`);
const el = (tag, text) => `<${tag}>${esc(text)}</${tag.split(" ")[0]}>`;
const fill = (pattern, facts) => Object.entries(facts).reduce((s, [name, text]) => s.replaceAll(`{${name}}`, () => text), pattern);
const put = (pattern, text) => pattern.replace("{}", () => text);
const [space, point, from] = say.marks;
const local = s => `${s}`.replace(/^(\d+)(?:\.(\d+))?$/, (_, whole, part) =>
  (whole >= from ? whole.replace(/\B(?=(\d{3})+$)/g, space) : whole) + (part ? point + part : ""));
const factor = s => put(say.factor, local(s));
const between = (pattern, [low, high]) => put(put(pattern, local(low)), local(high));
const factors = ends => ends[1] ? between(say.factors, ends) : factor(ends[0]);
const rules = new Intl.PluralRules(say.code);
const plural = (forms, n, more) => fill(forms[rules.select(n)] ?? forms.other, {n: local(n), ...more});
const aside = s => say.isolates[0] + s + say.isolates[1];
const listed = parts => parts.filter(Boolean).join(" · ");
const title = w => say.titles[w] ?? w;
const system = s => `${s.chip} · ${say.devices[s.device]}`;

// The words of a fact: names, or the ends of a range.
const fact = ([, unit, items]) => {
  if (!items[0]) return "–";
  if (!unit) return items.map(aside).join(say.comma);
  const text = items[1] ? between(say.interval, items) : local(items[0]);
  return aside(unit == "#" ? text : put(say.units[unit], text));
};
const lacks = (x, y) => listed(Object.entries(x.own).map(([w, works]) => {
  const n = works.filter(it => !y.own[w]?.includes(it)).length;
  return n && `${aside(title(w))} (${local(n)})`;
})) || say.nothing;

// A cell or card as seen from its other side: ratios are turned round, digits are those that the data have for it.
const turned = ([kind, work, base, other, word, value, times, ends, back, span, ...rest]) =>
  [kind, work, other, base, word, 1 / value, times, back, ends, span.map(it => 1 / it).reverse(), ...rest];
const other = ([kind, evidence, cells, n, lead, ends, back, ...rest]) =>
  [kind, evidence, cells, n, -lead, lead ? ends : back, lead ? back : ends, ...rest];

const axis = cells => {
  const values = [1, ...cells.flatMap(c => [c[5], ...c[9]])], {log, abs} = Math;
  let low = Math.min(...values) / 1.08, high = Math.max(...values) * 1.08;
  if (high / low < 1.6) [low, high] = [low / 1.6 ** .5, high * 1.6 ** .5];
  const width = log(high) - log(low), place = v => 100 * (log(v) - log(low)) / width, ticks = [1];
  for (const t of say.ticks) if (abs(place(t) - 50) <= 50 && ticks.every(it => abs(place(t) - place(it)) >= 17)) ticks.push(t);
  return {ticks, at: v => place(v).toFixed(1) + "%"};
};

const figure = ([run, digits, unit, low, high, n, machines, grade, label], name) => {
  const [bars, text] = say.labels[label];
  const rests = listed([put(say.n, local(n)), machines > 1 && plural(say.machines, machines)]);
  return `<td class="num" data-l="${esc(name)}"><a class="fig" href="${esc(runs + run)}.html">${esc(put(say.units[unit], local(digits)))}</a>`
    + (grade && el(`span class="grade ${esc(grade)}"`, grade))
    + (low && el("small", high ? between(say.interval, [low, high]) : factor(low))) + `<small><span class="trust t${bars}" title="${esc(text)}"></span>${esc(rests)}</small></td>`;
};
// Work is named by its workload, that of language models by the model.
const named = (kind, [workload, batch, facts]) => {
  const parts = facts.map(it => {
    const [name, n] = it.split("=");
    return say.parameters[name] ? put(say.parameters[name], n ?? "") : it;
  });
  if (batch) parts.push(put(say.batch, local(batch)));
  return [/^(de|pre)/.test(kind) && facts[0] ? parts.shift() : title(workload), listed(parts.filter(Boolean).map(aside))];
};

const card = (names, [kind, evidence, cells, n, lead, ends, , mean, flagged, differs, framework]) => {
  const rough = evidence == "unlike", sides = lead < 0 ? {base: names.other, other: names.base} : names;
  const tags = [[rough ? "unlike" : evidence == "repeated" ? "like" : "",
    rough && differs ? say.conditions[differs] : put(say.tags[evidence], local(n))]];
  if (flagged) tags.push(["flag", plural(say.flagged, flagged)]);
  return shown(say.kinds[kind], framework, rough ? "unlike" : "like", (rough ? "≈ " : "") + factors(ends), fill(say.over, sides),
    plural(rough ? say.rough : mean ? say.mean : say.ranging, cells, {mean: mean && factor(mean)}), tags);
};
const shown = (name, way, look, head, over, text, tags) => `<article class="card ${look}"><h2>${esc(name)}${way && " " + el("small", way)}</h2>`
  + `<p class="head">${el("b", head)}${over && el("span", over)}</p>${text && el("p", text)}`
  + `<p class="ev">` + tags.map(([kind, it]) => el(`span class="tag ${kind}"`, it)).join("") + "</p></article>";

const head = (text, kind) => el('th scope="col"' + (kind ? ` class="${kind}"` : ""), text);
const heads = (x, y, kind) => head("A · " + system(x), kind) + head("B · " + system(y), kind);
const scroller = (id, kind, top, rows) => `<div class="scroller" tabindex="0" role="region" aria-label="${esc(say.headings[id])}"><table class="list${kind}"><thead><tr>${top}</tr></thead><tbody>${rows}</tbody></table></div>`;

const svg = (height, shapes) => `<svg aria-hidden="true" width="100%" height="${height}">${shapes}</svg>`;
const line = (kind, from, to) => `<line class="${kind}" x1="${from}" x2="${to}" y1="11" y2="11"></line>`;

const table = (x, y, over, cells) => {
  const {ticks, at} = axis(cells), one = at(1);
  const remarks = ([, , i, j, , , , , , , differs, unstated]) => {
    const codes = [...new Set(`${x.figures[i][11]} ${y.figures[j][11]}`.split(" "))].filter(Boolean).sort();
    return listed([differs && put(say.differs, say.conditions[differs]), unstated && put(say.unstated, say.conditions[unstated]),
      codes.length && "⚑ " + codes.map(it => say.flags[it]).join(say.comma)]);
  };
  const row = ([kind, w, i, j, word, value, times, ends, , span, differs, , noted], remark) => {
    const left = x.figures[i], right = y.figures[j], [name, text] = named(kind, works[w]);
    const how = [9, 10].map(k => left[k] == right[k] ? left[k] : `${left[k] || "–"} → ${right[k] || "–"}`);
    const quiet = ["even", "insufficient"].includes(word) || value == 1;
    const look = noted ? "flagged" : differs ? "unlike" : quiet ? "level" : value > 1 ? "up" : "down";
    const tone = noted || differs || word == "insufficient" ? "dim" : word != "found" ? "" : value > 1 ? "faster" : "slower";
    return "<tr" + (differs && ' class="unlike"') + `><th scope="row">${esc(name)}${text && el("small", text)}${el("small", listed(how.filter(Boolean).map(aside)))}</th>`
      + figure(left, system(x)) + figure(right, system(y))
      + `<td class="plot">` + svg(22, `<use href="#grid"></use>` + line("ax", one, at(value)) + (span[1] ? line("whisker", ...span.map(at)) : "")
        + (look == "down" ? `<use class="down" href="#slow" x="${at(value)}" y="11"></use>` : `<circle class="${look}" cx="${at(value)}" cy="11" r="4.6"></circle>`)) + `</td><td class="says">` + el(`b class="${tone}"`, put(say.verdicts[word][+(value >= 1)], local(times))) + (ends[0] ? el("small", factors(ends)) : "") + "</td>"
      + el('td class="why"', remark) + "</tr>";
  };
  const works = (x.cells[y.name] ? x : y).works, group = (kind, name) => {
    const own = cells.filter(c => c[0] == kind), like = own.filter(c => !c[10]), notes = own.map(remarks);
    const [alike, more] = new Set((like[0] ? like : own).map(remarks)), shared = more == null && alike;
    return own[0] ? `<tr class="sub${like[0] ? "" : " unlike"}"><th colspan="6" scope="rowgroup">${esc(name)}`
      + el("small", listed([fill(say.like, {like: local(like.length), n: local(own.length)}), shared])) + "</th></tr>" + own.map((c, k) => row(c, notes[k] == shared ? "" : notes[k])).join("") : "";
  };
  return el("h2", say.headings.cells) + scroller("cells", " stack versus", head(say.work) + heads(x, y, "num")
    + `<th scope="col" class="plot">${esc(over)}` + svg(16, `<defs><path id="slow" d="M0-5.4 5.4 0 0 5.4-5.4 0z"></path><g id="grid">`
    + ticks.map((t, k) => `<line class="${k ? "grid" : "one"}" x1="${at(t)}" x2="${at(t)}" y2="22"></line>`).join("") + "</g></defs>"
    + ticks.map(t => el(`text class="lab" x="${at(t)}" y="12" text-anchor="middle"`, factor(t))).join("")) + "</th>" + head(say.verdict) + head(say.remarks), Object.entries(say.kinds).map(it => group(...it)).join(""));
};

const page = (x, y) => {
  const cells = x.cells[y.name] ?? (y.cells[x.name] ?? []).map(turned), cards = x.cards[y.name] ?? (y.cards[x.name] ?? []).map(other);
  const names = x.device == y.device ? {base: x.chip, other: y.chip} : {base: system(x), other: system(y)};
  const over = fill(say.over, names), facts = x.known.map((it, k) => [say.facts[it[0]], fact(it), fact(y.known[k])]).filter(it => it[1] + it[2] != "––");
  const differing = facts.filter(it => it[1] != it[2]), same = facts.filter(it => it[1] == it[2]).map(it => `${it[0]} ${it[1]}`);
  const part = (id, text) => `<section id="${id}">${el("h2", say.headings[id])}${text}</section>`;
  return [fill(say.title, names), `<div class="cards">` + Object.keys(say.kinds).map((kind, k) => {
    const own = cards.find(c => c[0] == kind);
    return own ? card(names, own) : k < 3 ? shown(say.kinds[kind], "", "none", say.none, "", "", []) : "";
  }).join("") + "</div>"
  + (cells[0] ? el('p class="fine"', fill(say.reading, names)) : el('p class="empty"', fill(say.empty, names)))
  + `<section id="cells">${cells[0] ? table(x, y, over, cells) : ""}</section>`
  + part("differs", (differing.length ? scroller("differs", "", head(say.fact) + heads(x, y), differing.map(([name, ...its]) =>
      "<tr>" + el('th scope="row"', name) + its.map(it => el("td", it)).join("") + "</tr>").join("")) : "")
    + (same[0] ? el('p class="fine"', put(say.same, listed(same))) : ""))
  + part("rest", `<div class="two">` + [[x, y], [y, x]].map(p => "<div>" + el("h3", system(p[0])) + el('p class="fine"', lacks(...p)) + "</div>").join("") + "</div>"
    + (x.asked == y.asked ? "" : "<pre>" + el("code", "benchdb compare " + x.asked + " " + y.asked) + "</pre>"))];
};

const files = Object.fromEntries([...a.options].map(o => [o.value, o.dataset.file]));
// Data come with a script element: a page that was opened from a disk may not fetch.
const load = slug => known[slug] || new Promise((done, onerror) => doc.head.append(make("script",
  {src: `${root}assets/compare/${slug}${files[slug]}`, onload: () => done(known[slug]), onerror})));

// The pair and the filter stand behind the # of the address.
const {base, other: second, root, runs} = pick.dataset;
let now = `${base} ${second}`;
const show = async () => {
  const query = chosen(), x = query.get("a") ?? base, y = query.get("b") ?? second;
  like.checked = query.get("like") == "1";
  one("#pair").classList.toggle("alike", like.checked);
  all(".tongues a").forEach(l => l.hash = location.hash);
  if (!(unknown.hidden = files[x] && files[y])) return;
  [a.value, b.value] = [x, y];
  try {
    const [left, right] = await Promise.all([load(x), load(y)]);
    if (a.value != x || b.value != y) return;
    for (const o of b.options) {
      const n = left.shared[o.value];
      o.text = a.options[o.index].text + (n ? ` (${local(n)})` : "");
    }
    if (now == `${x} ${y}`) return;
    const [name, text] = page(left, right);
    now = `${x} ${y}`;
    one("h1").textContent = name;
    doc.title = `${name} – benchdb`;
    one("#pair").innerHTML = text;
  } catch { unknown.hidden = false; }
};
const go = (x, y) => location.hash = `a=${x}&b=${y}${like.checked ? "&like=1" : ""}`;

b.innerHTML = a.innerHTML;
b.value = second;
for (const e of [a, b, like]) e.onchange = () => go(a.value, b.value);
one("#swap").onclick = () => go(b.value, a.value);
addEventListener("hashchange", show);
show();
}
