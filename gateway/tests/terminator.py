"""TLS in front of a server that has none of its own, as stunnel does it."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.tests.certificates import Certificates


@contextmanager
def tls_before(port: int, certificates: Certificates) -> Iterator[int]:
    """The port where the server of `port`, on this machine, is reached by TLS and by nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate, certificates.key)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def relay(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, forth = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pump(near, forth), _pump(far, back))

    async def listen() -> asyncio.Server:
        return await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context)

    async def close(server: asyncio.Server) -> None:
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(close(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.CancelledError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    sink.close()
