"""What tests with a real container engine share."""

from collections.abc import Iterator

import docker
import pytest

from harness.runtime.engine import Engine, EngineError, discover
from tests.docker.lacking import lacking


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Find the engine; without one the tests skip, or fail where it is required."""
    try:
        return discover()
    except EngineError as error:
        lacking(f"no container engine: {error.what}")


@pytest.fixture(scope="session")
def client(engine: Engine) -> Iterator[docker.DockerClient]:
    """A client of that engine, for looking at it from outside."""
    found = engine.client()
    yield found
    found.close()
