"""Where a machine lacks what a test needs: skip, or fail where it must run."""

import os
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Skip the test and say why; fail it where REQUIRE_DOCKER=1 forbids to skip."""
    if os.environ.get("REQUIRE_DOCKER") == "1":
        pytest.fail(f"{what}, and REQUIRE_DOCKER=1 says that this test must run")
    pytest.skip(what)
