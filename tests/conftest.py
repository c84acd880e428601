"""How the tests are spread over processors."""

import pytest

ALONE = ("docker", "browser")
"""Folders whose tests take turns: they count what an engine has, or share a browser."""


@pytest.hookimpl(tryfirst=True)  # the plugin that spreads them reads the marks, too
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests of one kind on one worker, one after another."""
    for item in items:
        folder = item.path.parent.name
        if folder in ALONE:
            item.add_marker(pytest.mark.xdist_group(folder))
