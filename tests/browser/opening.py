"""Pages opened in a browser: what they ask for and complain of is noted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

Scheme = Literal["light", "dark"]


@dataclass
class Opened:
    """A page that was opened from its file, and what it did."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    *,
    width: int = 1200,
    scheme: Scheme = "light",
    scripts: bool = True,
) -> Iterator[Opened]:
    """Open a file as a person would, and hold it open.

    Args:
        browser: Which.
        path: Of the page.
        width: Of the window, in pixels.
        scheme: What the person prefers.
        scripts: Whether they run.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        java_script_enabled=scripts,
    )
    page = context.new_page()
    found = Opened(page)
    page.on("console", lambda message: found.complaints.append(message.text))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    context.on("request", lambda request: found.requests.append(request.url))
    try:
        page.goto(path.as_uri())
        yield found
    finally:
        context.close()
