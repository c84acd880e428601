"""A small embedding provider that can be told to fail."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import time
from types import TracebackType
from typing import Self

DIMENSION = 4


class Provider:
    """Speaks the OpenAI embeddings protocol on a port of its own.

    A text's vector counts four words, so texts about the same things are near.
    """

    def __init__(self) -> None:
        self.is_failing = False
        self.failing_status = 400
        self.retry_after: str | None = None
        self.delay_s = 0.0
        self.dimension = DIMENSION
        self.batches: list[list[str]] = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                texts = json.loads(self.rfile.read(length))["input"]
                owner.batches.append(texts)
                time.sleep(owner.delay_s)
                status = owner.failing_status if owner.is_failing else 200
                body = json.dumps(owner.answer(texts)).encode()
                self.send_response(status)
                if owner.retry_after is not None:
                    self.send_header("retry-after", owner.retry_after)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                # A caller that has stopped waiting is gone.
                with contextlib.suppress(ConnectionError):
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, texts: list[str]) -> dict[str, object]:
        return {
            "data": [
                {"index": place, "embedding": self.vector(text)}
                for place, text in enumerate(texts)
            ]
        }

    def vector(self, text: str) -> list[float]:
        words = text.lower().split()
        counts = [words.count(word) + 0.01 for word in ("cat", "dog", "tea", "car")]
        return [*counts, *[0.0] * (self.dimension - DIMENSION)]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
