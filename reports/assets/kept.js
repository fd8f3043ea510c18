"use strict";
// What pages with tables keep in the address, for scripts that come after.
const lang = doc.documentElement.lang;
// Figures are written as the language does it, in Latin digits.
const written = (n, digits) => n.toLocaleString(lang + "-u-nu-latn", {minimumSignificantDigits: digits, maximumSignificantDigits: digits});
const stem = link => link.getAttribute("href").replace(/^.*\/|\.html$/g, "");
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
addEventListener("hashchange", () => {
  if (!location.hash || location.hash.includes("=")) restoring.map(r => r());
});
