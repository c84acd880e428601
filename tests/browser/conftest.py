"""A real browser for the pages."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium; without it skip, or fail where REQUIRE_BROWSER=1."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        what = "no Chromium on this machine: apt-get install chromium"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(f"{what}, and REQUIRE_BROWSER=1 says that this test must run")
        pytest.skip(what)
    # Chromium's sandbox cannot be had as root; the pages here are our own.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()
