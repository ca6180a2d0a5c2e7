"""Why an operation, or one request for it, is left to graphql-core."""


class NotCompilable(Exception):
    """The operation has something that the compiler does not support; the reason is one word, to be counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unexpected(Exception):
    """A value is not what compiled code takes: graphql-core is to look at it, and to write the error if it is one."""
