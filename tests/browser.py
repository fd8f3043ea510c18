"""A real Chromium that opens report pages from disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tools.machine_needs import browser as installed_browser

CHROMIUM = installed_browser()  # None where Playwright has one in the environment
os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", "0")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; it sends nothing on its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@dataclass
class Visit:
    """An open page, and what it did beside showing itself."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen to it."""
        self.page.on("request", lambda it: self.requests.append(it.url))
        self.page.on("console", lambda it: self.complaints.append(it.text))
        self.page.on("pageerror", lambda it: self.complaints.append(str(it)))


def visit(where: Browser | BrowserContext, file: Path, fragment: str = "") -> Visit:
    """Open the page in *file*."""
    made = Visit(where.new_page())
    made.page.goto(file.as_uri() + fragment)
    return made


# Letters reach a third of their size above and below the middle of a line.
_MEETINGS = """() => {
  // What is not on the screen yet has a height that was guessed.
  for (const e of document.querySelectorAll("main > section"))
    e.style.contentVisibility = "visible";
  const boxes = [], known = new Map(), range = document.createRange();
  const inside = e => {
    if (!e || e === document.body) return [-Infinity, -Infinity, Infinity, Infinity];
    if (known.has(e)) return known.get(e);
    const {overflowX} = getComputedStyle(e), r = e.getBoundingClientRect();
    let [left, top, right, bottom] = inside(e.parentElement);
    if (overflowX != "visible" && !e.closest("svg"))
      [left, top, right, bottom] = [Math.max(left, r.left), Math.max(top, r.top),
        Math.min(right, r.right), Math.min(bottom, r.bottom)];
    known.set(e, [left, top, right, bottom]);
    return known.get(e);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility({visibilityProperty: true})) continue;
    if (e.closest(".unseen, .skip, .perm, title, option")) continue;
    const [left, top, right, bottom] = inside(e);
    const half = parseFloat(getComputedStyle(e).fontSize) / 3;
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      const middle = (r.top + r.bottom) / 2;
      const box = [Math.max(r.left + 1, left), Math.max(middle - half, top),
        Math.min(r.right - 1, right), Math.min(middle + half, bottom)];
      if (box[0] < box[2] && box[1] < box[3]) boxes.push([...box, node]);
    }
  }
  boxes.sort((a, b) => a[1] - b[1]);
  return boxes.flatMap((a, n) => {
    const met = [];
    for (let m = n + 1; m < boxes.length && boxes[m][1] < a[3]; m++) {
      const b = boxes[m];
      if (a[4] != b[4] && a[0] < b[2] && b[0] < a[2])
        met.push(a[4].data.trim() + " on " + b[4].data.trim());
    }
    return met;
  });
}"""


def meetings(page: Page) -> list[str]:
    """Return which texts of a page run into each other, as it is shown now."""
    texts: list[str] = page.evaluate(_MEETINGS)
    return texts
