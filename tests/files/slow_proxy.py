"""A proxy that lets every request wait, as a store far away would, and counts how many wait at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class SlowProxy:
    target: str
    latency: float
    url: str = ""
    requests: list[str] = field(default_factory=list)
    waiting: int = 0
    most_waiting: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(self.target)
        back_reader, back_writer = await asyncio.open_connection(parts.hostname, parts.port)
        back = asyncio.ensure_future(self._pass_back(back_reader, writer))
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")  # none of the requests has a body
                self.requests.append(head.split(b"\r\n", 1)[0].decode())
                self.waiting += 1
                self.most_waiting = max(self.most_waiting, self.waiting)
                await asyncio.sleep(self.latency)
                self.waiting -= 1
                back_writer.write(head)
        back.cancel()
        back_writer.close()
        writer.close()

    async def _pass_back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.CancelledError):
            while data := await reader.read(1 << 16):
                writer.write(data)


@contextmanager
def slow_proxy(target: str, latency: float) -> Iterator[SlowProxy]:
    proxy = SlowProxy(target, latency)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
