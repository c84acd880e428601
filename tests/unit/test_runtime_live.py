"""A daemon at a URL: found, watched, and left as it was."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness.errors import DaemonDiedError, DaemonNotReadyError, UsageError
from harness.runtime.live import LiveRuntime
from harness.runtime.probe import normal_url, request


class FakeDaemon(ThreadingHTTPServer):
    """Answers every request with `status` and `body`, and remembers them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.status = 200
        self.body = b'{"status":"ok"}'
        self.requests: list[tuple[str, str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    server: FakeDaemon

    def do_GET(self) -> None:
        seen = (self.command, self.path, self.headers["Authorization"])
        self.server.requests.append(seen)
        head = f"HTTP/1.0 {self.server.status} Status\r\n\r\n"
        self.wfile.write(head.encode() + self.server.body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


@pytest.fixture
def daemon() -> Iterator[FakeDaemon]:
    with FakeDaemon() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_living_daemon_is_asked_for_its_health_and_nothing_else(
    daemon: FakeDaemon,
) -> None:
    runtime = LiveRuntime(daemon.url + "/", "secret")
    with runtime as running:
        running.check()
        assert running.url == daemon.url
        assert running.token == "secret"
        assert "secret" not in repr(running)
    assert daemon.requests == [("GET", "/api/health", None)] * 2
    assert (runtime.name, daemon.url in runtime.reason) == ("live", False)


def test_path_in_front_of_the_routes_is_kept(daemon: FakeDaemon) -> None:
    with LiveRuntime(f"{daemon.url}/palace/"):
        pass
    assert daemon.requests == [("GET", "/palace/api/health", None)]


def test_daemon_that_is_not_there_is_named() -> None:
    with (
        pytest.raises(DaemonNotReadyError) as caught,
        LiveRuntime("http://127.0.0.1:1"),
    ):
        pass
    assert caught.value.where == "http://127.0.0.1:1"


def test_sick_daemon_does_not_count_as_there(daemon: FakeDaemon) -> None:
    daemon.status = 503
    with pytest.raises(DaemonNotReadyError), LiveRuntime(daemon.url):
        pass


def test_daemon_that_goes_away_is_noticed_by_the_check(daemon: FakeDaemon) -> None:
    with LiveRuntime(daemon.url) as running:
        daemon.status = 500
        with pytest.raises(DaemonDiedError):
            running.check()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://host",
        "http://",
        "http://host:99999",
        "http://host?x=1",
        "http://me:secret@host",
        "http://[::1",
    ],
)
def test_unusable_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        normal_url(url)


def test_request_sends_the_token_and_ignores_proxies(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    address = f"{daemon.url}/api/shutdown"
    answer = request("POST", address, token="secret", timeout_s=5)
    assert answer is not None
    assert answer.status == 200
    assert daemon.requests == [("POST", "/api/shutdown", "Bearer secret")]
