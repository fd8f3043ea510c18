"""A real Chromium that opens report pages from disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tools.install import browser as installed_browser

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
