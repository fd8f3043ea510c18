// Open the report in the first of the reader's languages that there is one in. Whoever
// comes with a # in the address wants the list.
"use strict";
(() => {
  const links = [...document.querySelectorAll("a[hreflang]")];
  const likely = { no: "nb", iw: "he", in: "id" };
  const maximal = (tag) => {
    try {
      const [language, ...rest] = tag.split("-");
      return new Intl.Locale([likely[language] || language, ...rest].join("-")).maximize();
    } catch {
      return { language: "" };
    }
  };
  const alike = (one, other) =>
    one.language === other.language && one.script === other.script;
  const fits = (tag) => {
    const wanted = maximal(tag);
    const found = links.filter((link) => alike(maximal(link.hreflang), wanted));
    return found.find((link) => maximal(link.hreflang).region === wanted.region) || found[0];
  };
  const chosen = (navigator.languages || [navigator.language]).map(fits).find(Boolean);
  if (chosen && !location.hash) location.replace(chosen.href);
})();
