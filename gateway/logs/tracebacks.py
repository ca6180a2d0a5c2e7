"""What a log may tell of an error: its type, its code and where it happened. Never values.

Local variables hold passwords, and the texts of other people's errors quote what they failed on: MongoDB's the whole
document, SMTP's the address, Python's own the value. The texts of our own errors are ours, and told.
"""

from collections.abc import Iterator
from traceback import StackSummary, walk_tb
from typing import NotRequired, TypedDict

OURS = {"admin_ext", "cart", "catalog", "gateway", "ordering"}

# Where it began and where it ended say enough of a recursion.
MAX_FRAMES = 50
# What caused what caused what; an error that was caught and raised anew a hundred times says no more.
MAX_CHAIN = 10


class Frame(TypedDict):
    filename: str
    lineno: int | None
    name: str


class Raised(TypedDict):
    exc_type: str
    exc_value: NotRequired[str]
    code: NotRequired[int | str]
    is_cause: bool
    """Whether the error before it was raised from this one."""
    frames: list[Frame]
    exceptions: NotRequired[list[list["Raised"]]]
    """The members of an exception group, each with those that led to it."""


def described(error: BaseException, *, texts: bool = False) -> str:
    """The error in one line for a log. `texts`: also what other people's errors say."""
    type_, code, text = type(error).__name__, _code(error), _text(error, texts=texts)
    return type_ + (f" {code}" if code is not None else "") + (f": {text}" if text else "")


def raised(error: BaseException, *, texts: bool = False) -> list[Raised]:
    """The error and those that led to it, the latest first, as data for JSON."""
    return [_one(each, is_cause=is_cause, texts=texts) for each, is_cause in _chain(error)]


def as_text(error: BaseException, *, texts: bool = False) -> str:
    """The error and those that led to it as text, for people to read."""
    lines: list[str] = []
    for each, _ in _chain(error):
        lines += [
            f'  File "{frame["filename"]}", line {frame["lineno"]}, in {frame["name"]}' for frame in _frames(each)
        ]
        lines.append(described(each, texts=texts))
        for member in getattr(each, "exceptions", ()):
            lines += [f"  | {line}" for line in as_text(member, texts=texts).splitlines()]
    return "\n".join(lines)


def _one(error: BaseException, *, is_cause: bool, texts: bool) -> Raised:
    told: Raised = {"exc_type": type(error).__name__, "is_cause": is_cause, "frames": _frames(error)}
    if text := _text(error, texts=texts):
        told["exc_value"] = text
    if (code := _code(error)) is not None:
        told["code"] = code
    if isinstance(error, BaseExceptionGroup):
        told["exceptions"] = [raised(member, texts=texts) for member in error.exceptions]
    return told


def _chain(error: BaseException) -> Iterator[tuple[BaseException, bool]]:
    current: BaseException | None = error
    is_cause, seen = False, set[int]()
    while current is not None and id(current) not in seen and len(seen) < MAX_CHAIN:
        seen.add(id(current))
        yield current, is_cause
        is_cause = current.__cause__ is not None
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _frames(error: BaseException) -> list[Frame]:
    stack = StackSummary.extract(walk_tb(error.__traceback__), lookup_lines=False)
    found: list[Frame] = [{"filename": one.filename, "lineno": one.lineno, "name": one.name} for one in stack]
    half = MAX_FRAMES // 2
    return found if len(found) <= MAX_FRAMES else found[:half] + found[-half:]


def _text(error: BaseException, *, texts: bool) -> str:
    return str(error) if texts or type(error).__module__.partition(".")[0] in OURS else ""


def _code(error: BaseException) -> int | str | None:
    """The code of MongoDB's, SMTP's and the system's errors, which says what happened and not with what."""
    for name in ("code", "smtp_code", "errno"):
        if isinstance(code := getattr(error, name, None), int):
            return code
    return None
