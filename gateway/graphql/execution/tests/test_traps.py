"""Every trap by itself: compiled or left to graphql-core, and the answer that graphql-core gives."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gateway.graphql.execution.schema_parts import parts_of, plain_parts
from gateway.graphql.execution.tests.plain_trap_schema import plain_trap_schema
from gateway.graphql.execution.tests.trap_schema import TrapContext, trap_schema
from gateway.graphql.execution.tests.twins import WRONG_VARIABLES, Seen, Twins

Ask = Callable[..., Seen]
UNEXPECTED = "fell:Unexpected"

pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")


@pytest.fixture(scope="module")
def ask() -> Ask:
    """Asks the schema of Strawberry's types."""
    schema = trap_schema()
    twins = Twins(parts_of(schema, schema._schema), TrapContext, executor=schema.execution_context_class)
    return lambda text, **variables: asyncio.run(twins.ask(text, variables))


@pytest.fixture(scope="module")
def ask_plain() -> Ask:
    twins = Twins(plain_parts(plain_trap_schema()), TrapContext)
    return lambda text, **variables: asyncio.run(twins.ask(text, variables))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("oneAsTrue", 1),
        ("wholeFloat", 3),
        ("intOfText", 12),
        ("floatOfInt", 3),
        ("textOfInt", "5"),
        ("textOfBool", "true"),
        ("idOfInt", "5"),
        ("trueOfOne", True),
        ("decimal", "1E+2"),
        ("day", "2026-11-17"),
        ("anything", ["b", 1, None, [1.5], True]),
        ("colour", "AZURE"),
        ("colours", ["RED", None, "GREEN"]),
        ("textNull", None),
        ("enumNull", None),
        ("asTuple", [1, 2]),
        ("matrix", [[1, None], []]),
    ],
)
def test_value_that_is_not_quite_of_its_type_is_converted_as_by_graphql_core(ask: Ask, field: str, value: Any) -> None:
    seen = ask(f"{{ values {{ {field} }} }}")

    assert (seen.outcome, seen.answer) == ("compiled", {"data": {"values": {field: value}}})


@pytest.mark.parametrize(
    ("field", "outcome"),
    [
        ("badNan", "fell:GraphQLError"),
        ("badEnum", "fell:GraphQLError"),
        ("badIntOfText", "fell:GraphQLError"),
        ("badGenerator", UNEXPECTED),
        ("badIterator", UNEXPECTED),
        ("badSet", UNEXPECTED),
        ("badTextAsList", UNEXPECTED),
        ("badNullInList", UNEXPECTED),
        ("badErrorInList", UNEXPECTED),
        ("badErrorAsValue", UNEXPECTED),
        ("badCoroutine", UNEXPECTED),
        ("badCoroutines", UNEXPECTED),
        ("badForbidden", "fell:StrawberryGraphQLError"),
    ],
)
def test_value_that_compiled_code_does_not_take_is_left_to_graphql_core(ask: Ask, field: str, outcome: str) -> None:
    assert ask(f"{{ values {{ {field} }} }}").outcome == outcome


@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        ("{ badRaise }", "fell:ValueError"),
        ("{ badRaiseLater values { colour } }", "fell:ValueError"),
        ("{ inner { deeper { deeper { badNull } } } }", UNEXPECTED),
        ("{ inner { perhaps { deeper { badLater { depth } } } } owner { nextOwner { id } } }", "fell:ValueError"),
        ("{ animals { ... on Dog { badWeight } } }", "fell:GraphQLError"),
        ("{ badAttribute }", "fell:AttributeError"),
    ],
)
def test_error_at_any_depth_is_told_by_graphql_core(ask: Ask, query: str, outcome: str) -> None:
    seen = ask(query)

    assert seen.outcome == outcome
    assert seen.answer["errors"]


def test_object_of_another_class_is_left_to_strawberry_which_takes_it(ask: Ask) -> None:
    seen = ask("{ badDog { name } }")

    assert (seen.outcome, seen.answer) == (UNEXPECTED, {"data": {"badDog": {"name": "not a dog"}}})


def test_typename_alone_makes_no_object_of_null(ask: Ask) -> None:
    seen = ask("{ noValues { __typename } noValuesLater { kind: __typename } values { __typename } }")

    assert seen.outcome == "compiled"
    assert seen.answer["data"] == {"noValues": None, "noValuesLater": None, "values": {"__typename": "Values"}}


def test_selections_of_one_key_are_merged_where_they_first_stand(ask: Ask) -> None:
    seen = ask(
        """{ a: inner { ...Deep depth } b: values { colour } ... on Query { a: inner { deeper { x: depth } } } }
        fragment Deep on Inner { deeper { depth ...Deeper } }
        fragment Deeper on Inner { perhaps { depth } ... @include(if: true) { y: depth } }"""
    )

    assert seen.outcome == "compiled"
    assert list(seen.answer["data"]["a"]) == ["deeper", "depth"]
    assert list(seen.answer["data"]["a"]["deeper"]) == ["depth", "perhaps", "y", "x"]


def test_fragments_on_interfaces_of_interfaces_choose_by_the_type_of_each_object(ask: Ask) -> None:
    seen = ask(
        "{ animals { ...N ... on Dog { barks(times: 2) colour path } ... on Cat { lives kittens { name } askedFor } } }"
        " fragment N on Named { __typename loudName ... on Animal { age weight } }"
    )

    assert seen.outcome == "compiled"
    assert [each["loudName"] for each in seen.answer["data"]["animals"]] == ["CAT 0", "DOG 1", "CAT 2"]
    assert seen.answer["data"]["animals"][1]["path"] == ["animals", "1", "path"]
    assert seen.answer["data"]["animals"][0]["askedFor"] == ["askedFor"]


def test_union_whose_types_only_functions_can_tell_is_not_compiled_below_a_method(ask: Ask) -> None:
    assert ask("{ rareFriends { __typename ... on Robot { serial } } }").outcome == "refused:type_resolver"
    assert ask("{ badFriend { __typename } }").outcome == "refused:type_resolver"


def test_loader_gets_the_same_batches_through_lists_and_siblings(ask: Ask) -> None:
    seen = ask(
        "{ a: owner(number: 1) { nextOwner { id nextOwner { id } } } owners(numbers: [2, 3, 9]) { id nextOwner { id } }"
        " animals(number: 4) { ... on Dog { owner { name animals { ... on Dog { owner { id } } } } } } }"
    )

    assert seen.outcome == "compiled"
    assert seen.ours.batches == seen.theirs.batches
    assert seen.ours.batches[0] == [1, 2, 3, 9]


def test_permissions_and_field_extensions_run(ask: Ask) -> None:
    seen = ask("{ loud doubled doubledLater }")

    assert (seen.outcome, seen.answer["data"]) == (
        "compiled",
        {"loud": "LOUD", "doubled": "abab", "doubledLater": "abab"},
    )
    assert seen.ours.calls == seen.theirs.calls == ["asked whether it is loud"]


ARGUMENTS = "query ($n: Int, $p: Point, $t: String, $c: Colour, $d: Int = 5, $m: String)"


@pytest.mark.parametrize("variables", [{}, {"n": None, "p": None, "t": None, "c": None, "d": None, "m": None}])
def test_missing_is_neither_null_nor_a_default(ask: Ask, variables: dict[str, Any]) -> None:
    seen = ask(
        ARGUMENTS + "{ echoScalars(number: $n, text: $t, colour: $c, numbers: [$n, 1]) echoMaybe(text: $m)"
        " echoAll(points: [$p, {x: 1, tags: null, maybe: $m, inner: $p}]) x: echoScalars(number: $d) }",
        **variables,
    )

    assert seen.outcome == "compiled"


def test_variables_are_taken_as_they_were_coerced(ask: Ask) -> None:
    point = {"x": 1, "inner": {"x": 2, "colour": "AZURE"}}
    seen = ask(
        "query ($i: ID, $f: Float!, $p: Point!, $cs: [Colour!], $a: Decimal, $e: Either!)"
        " { echoScalars(id: $i, real: $f, colours: $cs, amount: $a) echo(point: $p)"
        " echoAll(points: [$p], either: $e) }",
        i=7,
        f=3,
        p=point,
        cs="RED",
        a="1.50",
        e={"number": 1},
    )

    assert seen.outcome == "compiled"
    assert "'default', '7', False" in seen.answer["data"]["echoScalars"]


@pytest.mark.parametrize("value", [True, 2**31, "1", 1.5, [], {"x": 1}])
def test_variable_of_a_wrong_class_is_an_error_told_before(ask: Ask, value: Any) -> None:
    assert ask("query ($n: Int) { echoScalars(number: $n) }", n=value).outcome == WRONG_VARIABLES


def test_null_for_an_argument_that_has_a_default_but_takes_no_null_is_an_error(ask: Ask) -> None:
    query = "query ($n: Int = 0) { owner(number: $n) { id } }"

    assert ask(query, n=None).outcome == UNEXPECTED
    assert ask(query).outcome == "compiled"
    assert ask("query ($n: Int) { owner(number: $n) { id } }").answer == {"data": {"owner": {"id": "1"}}}


def test_null_within_an_input_that_takes_no_null_is_an_error(ask: Ask) -> None:
    query = "query ($n: Int = 1, $c: Colour = RED) { echo(point: {x: $n, y: $n, colour: $c}) }"

    assert ask(query).outcome == "compiled"
    assert ask(query, c=None).outcome == UNEXPECTED


@pytest.mark.parametrize("either", ["{}", "{number: null}", '{number: 1, text: "a"}'])
def test_literal_that_only_strawberry_refuses_is_left_to_graphql_core(ask: Ask, either: str) -> None:
    seen = ask(f"{{ echoAll(either: {either}) }}")

    assert seen.outcome == "refused:argument"
    assert seen.answer["errors"]


def test_variables_in_one_of_several_members_are_looked_at_in_each_request(ask: Ask) -> None:
    query = "query ($n: Int!) { echoAll(either: {number: $n}) }"

    assert ask(query, n=1).outcome == "compiled"


def test_condition_that_is_null_is_an_error_and_one_that_is_missing_has_its_default(ask: Ask) -> None:
    query = "query ($a: Boolean = true, $b: Boolean = false) { static @include(if: $a) inner @skip(if: $b) { depth } }"

    assert ask(query).outcome == "compiled"
    assert ask(query, a=False, b=True).answer == {"data": {}}
    assert ask(query, a=None).outcome == "refused:condition_not_boolean"


def test_skip_wins_over_include(ask: Ask) -> None:
    seen = ask(
        "{ static @skip(if: true) @include(if: true) inner { depth ... @include(if: false) { deeper { depth } } } }"
    )

    assert (seen.outcome, seen.answer) == ("compiled", {"data": {"inner": {"depth": 0}}})


def test_function_of_no_object_and_argument_of_another_name_are_called_as_declared(ask: Ask) -> None:
    seen = ask("{ static(factor: 2) renamed(camel: 4) parent rareShelf { things total } rareDogs { things { name } } }")

    data = seen.answer["data"]
    assert (seen.outcome, data["static"], data["renamed"], data["parent"]) == ("compiled", 14, 4, "None")


def test_dictionaries_are_of_the_type_that_they_name(ask_plain: Ask) -> None:
    seen = ask_plain("{ creatures { __typename name ... on Bird { mate { legs } nest(of: [BIG]) } } named { name } }")

    assert seen.outcome == "compiled"
    assert seen.answer["data"]["creatures"][0]["nest"] == "{'eggs': 2, 'of': ['BIG']}"


def test_union_is_found_by_its_resolver_and_type_by_its_test(ask_plain: Ask) -> None:
    assert (
        ask_plain("{ told { ... on Horse { foals(first: 3) { name } } ... on Fish { weight } } }").outcome == "compiled"
    )
    assert ask_plain("{ anything { __typename ... on Horse { rider { name } } } }").outcome == "compiled"
    assert ask_plain("{ badFish { name } }").outcome == UNEXPECTED
    assert ask_plain("{ badCreature { name } }").outcome == UNEXPECTED


def test_path_of_a_resolver_goes_through_lists(ask_plain: Ask) -> None:
    seen = ask_plain("{ p: path { n: name legs } }")

    assert seen.outcome == "compiled"
    assert [each and each["n"] for each in seen.answer["data"]["p"]] == [None, "['p', 1, 'n']", "['p']"]


@pytest.mark.parametrize("field", ["badBig", "badWhole", "badTrue", "badNan", "badKind", "badError", "badNull"])
def test_leaf_of_a_dictionary_that_is_an_error_falls(ask_plain: Ask, field: str) -> None:
    seen = ask_plain(f"{{ leaf {{ whole {field} }} }}")

    assert seen.outcome.startswith("fell:")
    assert seen.answer["errors"][0]["path"] == ["leaf", field]


@pytest.mark.parametrize(
    "query", ["{ badToldLater { __typename } }", "{ leaf { badDeep } }", "{ badTold { __typename } }"]
)
def test_list_union_or_coroutine_that_is_not_as_promised_falls(ask_plain: Ask, query: str) -> None:
    assert ask_plain(query).outcome == UNEXPECTED


def test_defaults_of_arguments_and_inputs_are_graphql_cores(ask_plain: Ask) -> None:
    query = (
        "query ($b: Box, $k: Kind)"
        " { echo(box: $b, kind: $k, one: {c: {size: null}}) x: echoRequired(box: {inner: {}}) }"
    )

    assert ask_plain(query).answer["data"]["x"] == (
        "{'box': {'kind': 'BIG', 'size': 3, 'inner': {'kind': 'BIG', 'size': 3, 'must': 4}, 'must': 4}, 'number': 1}"
    )
    assert ask_plain(query, b=None, k=None).outcome == "compiled"
