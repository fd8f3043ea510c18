"use strict";
// Scripts of the same page use the names before the first brace; all others stay in theirs.
const doc = document, one = (s, e = doc) => e.querySelector(s), all = (s, e = doc) => [...e.querySelectorAll(s)];
const make = (tag, facts, ...parts) => {
  const e = Object.assign(doc.createElement(tag), facts);
  e.append(...parts);
  return e;
};

// Words of a question, and text in which they are looked for: case, accents, hyphens, dots and blanks do not count.
const plain = s => s.toLowerCase().normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "");
const words = s => s.split(/\s+/).map(plain).filter(Boolean);

// What a reader chose is kept behind the # of the address: #figures.device=Metal&figures.sort=batch.a
const chosen = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");

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
  const to = !location.hash.includes("=") && doc.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!to) return;
  for (let e = to; e; e = e.parentElement) if (e.open === false) e.open = true;
  to.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
// A way to a section keeps what was chosen.
addEventListener("click", e => {
  const link = location.hash.includes("=") && e.target.closest(".toc a, .perm"), section = link && one(link.hash);
  if (!section) return;
  e.preventDefault();
  section.scrollIntoView();
});

// The same page in another language keeps what was chosen.
const tongues = one(".tongues");
if (tongues) tongues.ontoggle = () => all("a", tongues).map(a => a.hash = location.hash);
addEventListener("click", e => { if (tongues?.open && !tongues.contains(e.target)) tongues.open = false; });

// What searches comes with the list of pages once a reader wants it.
const form = one(".find"), box = one("input", form);
form.onsubmit = e => e.preventDefault();
box.onfocus = () => {
  box.onfocus = null;
  doc.head.append(make("script", {src: form.dataset.index}));
};
}
