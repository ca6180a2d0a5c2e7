import pytest

from gateway.text_input import normal_key


@pytest.mark.parametrize(
    "written",
    ["same", " same", "same ", "same\u00a0", "\u2003same", "sa\u200bme", "same\u00ad", "ｓame", "same\t", "same\n"],
)
def test_what_looks_alike_is_one_key(written: str) -> None:
    assert normal_key(written) == "same"


def test_keys_that_can_be_told_apart_stay_apart() -> None:
    assert len({normal_key(key) for key in ("same", "Same", "same 2", "same2", "sаme")}) == 5


def test_white_space_within_a_key_counts_as_one_space() -> None:
    assert normal_key("RF \u00a0 2026\t11") == "RF 2026 11"


def test_a_key_of_white_space_alone_is_empty() -> None:
    assert normal_key(" \u00a0\u200b\n") == ""
