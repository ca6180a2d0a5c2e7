"""What the launcher tells the person in front of it when it cannot go on."""


class StackError(Exception):
    """An expected failure: the message says what happened and what to do, no traceback needed."""


class StartCancelledError(StackError):
    """The start was called off (Ctrl-C): threads that still wait or spawn leave by this."""
