"""Documents within every limit of size that make as much work, or leave as much behind, as their kind can."""

from collections.abc import Callable

# What a page of the shop sends.
PAGE = """
query Page($n: Int = 24, $after: String) {
  products(first: $n, after: $after) {
    totalCount
    pageInfo { hasNextPage }
    nodes { id name price { amount } category { slug } images { url } }
  }
}
"""


def comment(number: int) -> str:
    return f"{{ __typename }} #{number}" + "\U0001f600" * 3_700


def many_comments(number: int) -> str:
    return f"{{ __typename }} #{number}" + "#\n" * 1_990


def long_string(number: int) -> str:
    return f'{{ category(slug: "{number}{"x" * 14_900}") {{ id }} }}'


def string_of_emoji(number: int) -> str:
    return f'{{ category(slug: "{number}{chr(0x1F600) * 3_700}") {{ id }} }}'


def many_fields(number: int) -> str:
    repeated = " ".join(["id", "slug", "__typename"] * 49)
    return (
        f"query Q{number} {{ "
        + "".join(f'category(slug: "a") {{ children {{ {repeated} }} }}' for _ in range(1))
        + " }"
    )


def unknown_fields(number: int) -> str:
    return "{ geozones { " + " ".join(f"f{number}_{field}" for field in range(1_200)) + " } }"


def long_names(number: int) -> str:
    return "{ geozones { " + " ".join(f"{'n' * 100}{number}_{field}" for field in range(100)) + " } }"


def unknown_input(number: int) -> str:
    fields = " ".join(f"f{number}_{field}: 1" for field in range(60))
    return f"{{ products(filter: {{ {fields} nested: {{ {fields} nested: {{ {fields} }} }} }}) {{ totalCount }} }}"


def many_variables(number: int) -> str:
    return f"query Q{number}(" + " ".join(f"$v{variable}: Int" for variable in range(450)) + ") { __typename }"


def many_operations(number: int) -> str:
    return " ".join(f"query Q{number}_{operation} {{ a{operation} }}" for operation in range(300))


def operations_and_fragment(number: int) -> str:
    operations = " ".join(f"query Q{number}_{operation}($v: Int) {{ ...F }}" for operation in range(80))
    return operations + " fragment F on Query { " + "products(first: $v) { totalCount } " * 19 + "}"


def fragments_side_by_side(number: int) -> str:
    spreads = " ".join(f"...F{fragment}" for fragment in range(24))
    fragments = " ".join(f"fragment F{fragment} on Product {{ id name }}" for fragment in range(24))
    return f"query Q{number} {{ products {{ nodes {{ {spreads} }} }} }} {fragments}"


def chains_of_fragments(number: int) -> str:
    chains = " ".join(
        f"fragment {chain}{link} on Category {{ slug ...{chain}{link + 1} }}" for chain in "FG" for link in range(24)
    )
    ends = "fragment F24 on Category { id } fragment G24 on Category { id }"
    return f'query Q{number} {{ category(slug: "a") {{ ...F0 ...G0 }} }} {chains} {ends}'


def circles_of_fragments(number: int) -> str:
    fragments = [f"fragment F{n} on Query {{ {' '.join(f'...F{m}' for m in range(9))} }}" for n in range(9)]
    return f"query Q{number} {{ ...F0 }} {' '.join(fragments)}"


def repeated_fields(number: int) -> str:
    return f'query Q{number} {{ category(slug: "a") {{ ' + "children { id slug } " * 49 + "} }"


def repeated_roots(number: int) -> str:
    return f"query Q{number} {{ " + "products { nodes { id name price { amount } } } " * 20 + "}"


def conflicts(number: int) -> str:
    argument = f"{number}" + "x" * 250
    return "{ " + " ".join(f'category(slug: "{argument}{other}") {{ id }}' for other in range(20)) + " }"


def inline_fragments(number: int) -> str:
    return f"query Q{number} {{ products {{ nodes {{ " + "... { " * 99 + "id name" + " }" * 99 + " } } }"


def directives(number: int) -> str:
    return f"query Q{number} {{ __typename " + "@skip(if: false) " * 50 + "}"


def broken(number: int) -> str:
    return f"{{ geozones {{ code }} }} # {number}\n" + "a " * 1_900 + '"' + "x" * 9_000


KINDS: tuple[Callable[[int], str], ...] = (
    comment,
    many_comments,
    long_string,
    string_of_emoji,
    many_fields,
    unknown_fields,
    long_names,
    unknown_input,
    many_variables,
    many_operations,
    operations_and_fragment,
    fragments_side_by_side,
    chains_of_fragments,
    circles_of_fragments,
    repeated_fields,
    repeated_roots,
    inline_fragments,
    directives,
    broken,
)
