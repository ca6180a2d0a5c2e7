"""How a web process that ends takes leave of its connections, so that no request is lost on its way."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# In which what a client has sent arrives, though nothing was under way as we looked.
LAST_CALL_SECONDS = 1.0


class PatientProtocol(HttpToolsProtocol):
    """A connection that is not closed in the moment in which its next request may be on the way.

    uvicorn closes idle connections at once, also one that has just been accepted and not been read from. Here the next
    answer says that the connection ends; only one that stays idle is closed without a word.
    """

    _ends = False

    def shutdown(self) -> None:
        self._ends = True
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_CALL_SECONDS, super().shutdown)
        else:
            super().shutdown()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self._ends and self.cycle is not None:
            self.cycle.keep_alive = False
