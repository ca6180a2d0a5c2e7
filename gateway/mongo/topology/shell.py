"""BSON values as mongosh writes them, so that what we print can be pasted there."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bson import Decimal128, MaxKey, MinKey, ObjectId

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


def shell(value: Any) -> str:
    match value:
        case Mapping():
            return "{" + ", ".join(f"{_key(name)}: {shell(item)}" for name, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(shell(item) for item in value) + "]"
        case MinKey() | MaxKey():
            return f"{type(value).__name__}()"
        case ObjectId():
            return f'ObjectId("{value}")'
        case Decimal128():
            return f'NumberDecimal("{value}")'
        case datetime():
            return f'ISODate("{value.isoformat(timespec="milliseconds").removesuffix("+00:00")}Z")'
        case None | bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return repr(value)


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name, ensure_ascii=False)
