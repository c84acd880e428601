"""Take the README's picture of a page: ``python -m tests.browser.screenshot``."""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1400, 1395


def main() -> None:
    """Open a page in Chromium, light, and keep what its first screen shows."""
    parser = argparse.ArgumentParser(prog="screenshot")
    parser.add_argument("page", type=Path, help="what `harness show --html` wrote")
    parser.add_argument("picture", type=Path, help="where to: a .png file")
    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
        )
        page.goto(arguments.page.resolve().as_uri())
        page.screenshot(path=arguments.picture)
        browser.close()


if __name__ == "__main__":
    main()
