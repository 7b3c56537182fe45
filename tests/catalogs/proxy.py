"""A proxy in front of a server: counts requests, and lets some of them go wrong."""

from __future__ import annotations

import http.client
import http.server
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]

    @property
    def file(self) -> str:
        return urlsplit(self.path).path


DROP_REQUEST, DROP_ANSWER, CUT_ANSWER, STALL = "drop request", "drop answer", "cut answer", "stall"
"""Faults: the server never sees the request; it does, but its answer is lost, or cut in half; nothing happens."""


@dataclass
class Proxy:
    """Passes requests on to `target`.

    `fault` is asked for every request: None to pass it on, a status code to answer with, or one of the faults.
    `rewrite` changes what the server has answered.
    """

    target: str
    fault: Callable[[Request], int | str | None] = lambda request: None
    rewrite: Callable[[Request, bytes], bytes] = lambda request, content: content
    seen: list[Request] = field(default_factory=list)
    stalled_seconds: float = 30.0
    url: str = ""

    def count(self, method: str, ending: str = "") -> int:
        return sum(request.method == method and request.file.endswith(ending) for request in self.seen)


@contextmanager
def running_proxy(target: str) -> Iterator[Proxy]:
    proxy = Proxy(target)
    host = urlsplit(target).netloc

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _pass_on(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else None
            request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()})
            proxy.seen.append(request)
            fault = proxy.fault(request)
            if fault == STALL:
                time.sleep(proxy.stalled_seconds)
            if fault in (STALL, DROP_REQUEST):
                return self._hang_up()
            if isinstance(fault, int):
                return self._answer(fault, [("Content-Type", "text/plain")], b"")
            connection = http.client.HTTPConnection(host, timeout=60)
            try:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for key, value in self.headers.items():
                    connection.putheader(key, value)
                connection.endheaders(body)
                answer = connection.getresponse()
                content = answer.read()
            except OSError:
                return self._hang_up()
            finally:
                connection.close()
            if fault == DROP_ANSWER:
                return self._hang_up()
            headers = [(k, v) for k, v in answer.getheaders() if k.lower() not in _HOP_BY_HOP]
            told = answer.getheader("Content-Length") if self.command == "HEAD" else None
            content = proxy.rewrite(request, content)
            self._answer(answer.status, headers, content, told, cut=fault == CUT_ANSWER)
            return None

        def _answer(
            self,
            status: int,
            headers: list[tuple[str, str]],
            content: bytes,
            told: str | None = None,
            cut: bool = False,
        ) -> None:
            self.send_response_only(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", told or str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content[: len(content) // 2] if cut else content)
            if cut:
                self._hang_up()

        def _hang_up(self) -> None:
            self.close_connection = True
            try:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass  # a client that hung up

    server = Server(("127.0.0.1", 0), Handler)
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()


_HOP_BY_HOP = {"transfer-encoding", "content-length", "connection"}
