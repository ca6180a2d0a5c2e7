"""Files that people download, sent a block at a time."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header


def download(
    name: str, content_type: str, blocks: Iterator[bytes] | AsyncIterator[bytes], *, size: int | None = None
) -> StreamingHttpResponse:
    """The file as an answer. No more than a block is in memory, whoever serves it.

    The blocks are made after the view has returned: what they need of the request must be settled before.
    """
    plain = "".join(sign if sign.isprintable() else "_" for sign in name)
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=plain) or "attachment",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    if size is not None:
        headers["Content-Length"] = str(size)
    sent = blocks if isinstance(blocks, AsyncIterator) else _in_threads(blocks)
    return StreamingHttpResponse(sent, content_type=content_type, headers=headers)


async def _in_threads(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    # Of an iterator that is not asynchronous the server would take all before it sends anything.
    following = sync_to_async(lambda: next(blocks, None))
    while (block := await following()) is not None:
        yield block
