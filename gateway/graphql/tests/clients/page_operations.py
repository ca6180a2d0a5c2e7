"""The operations of docs/storefront.md, taken from its text for the clients that run them."""

import re

from django.conf import settings
from graphql import OperationDefinitionNode, parse

PAGE = settings.BASE_DIR / "docs" / "storefront.md"


def page_operations() -> dict[str, str]:
    """The text of each operation, by its name: one to a block."""
    found: dict[str, str] = {}
    for text in re.findall(r"^```graphql\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        (operation,) = parse(text).definitions
        assert isinstance(operation, OperationDefinitionNode)
        assert operation.name
        found[operation.name.value] = text
    return found


def for_codegen() -> str:
    return "\n".join(page_operations().values())


def for_relay() -> str:
    """A module whose exports are tagged as Relay wants them."""
    tagged = [f"export const {name} = graphql`\n{text}`;\n" for name, text in page_operations().items()]
    return "\n".join(['import { graphql } from "relay-runtime";\n', *tagged])
