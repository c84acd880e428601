"""A daemon at a URL: found, watched, and left as it was."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import pytest

from harness.errors import DaemonDiedError, DaemonNotReadyError, UsageError
from harness.runtime.live import LiveRuntime
from harness.runtime.probe import BODY_LIMIT_BYTES, health, normal_url, request
from tests.fakes import speaking


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
        "http://exämple..com/",
        "http://a..b/",
        f"http://{'a' * 64}.com/",
        f"http://{'ä' * 64}.com/",
        "http://two words/",
        "http://host\x7f/",
        "http://host/ä",
        "http://host/two words",
    ],
)
def test_unusable_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        normal_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8420",
        "http://[::1]:8420",
        "https://exämple.com",
        f"http://{'a' * 63}.com",
        "http://host/palace%20one",
    ],
)
def test_usable_address_is_taken_as_it_is(url: str) -> None:
    assert normal_url(f"{url}/") == url


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b" " * 90,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 10,
        b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 90,
    ],
    ids=["whole", "informational", "headers"],
)
def test_answer_that_drips_is_given_up_on_after_the_whole_time(raw: bytes) -> None:
    began = monotonic()
    with speaking(raw, pause_s=0.01) as url:
        assert health(url, timeout_s=0.3) is None
        assert monotonic() - began < 1.5


def test_body_without_end_is_cut() -> None:
    with speaking(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 2**20) as url:
        answer = health(url)
    assert answer is not None
    assert answer.status == 200
    assert len(answer.body) == BODY_LIMIT_BYTES


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"",
    ],
)
def test_answer_that_ends_too_early_is_none(raw: bytes) -> None:
    with speaking(raw) as url:
        assert health(url) is None


def test_request_sends_the_token_and_ignores_proxies(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    address = f"{daemon.url}/api/shutdown"
    answer = request("POST", address, token="secret", timeout_s=5)
    assert answer is not None
    assert answer.status == 200
    assert daemon.requests == [("POST", "/api/shutdown", "Bearer secret")]
