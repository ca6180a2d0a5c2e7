"""What a mistyped word may stand for, among the words of a shop."""

import random

import pytest

from catalog.search.vocabulary.vocabulary import MAX_CORRECTIONS, NO_WORDS, Vocabulary

SHOP = Vocabulary(
    {"iphone": 50, "phone": 3, "samsung": 40, "чехол": 30, "чехлы": 2, "наушники": 20, "наушник": 5, "256": 9, "128": 9}
    | {"bosch": 7, "ssd": 4, "холодильник": 6, "tefal": 3}
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ihone", "iphone"),  # one missing
        ("iphonne", "iphone"),  # one too many
        ("ipgone", "iphone"),  # a wrong one
        ("ipohne", "iphone"),  # two exchanged
        ("samsyng", "samsung"),
        ("чихол", "чехол"),
        ("bosh", "bosch"),
        ("наушнеки", "наушники"),
        ("нашуинки", "наушники"),  # two slips in eight letters
        ("халадильник", "холодильник"),
        ("tefall", "tefal"),
    ],
)
def test_slip_of_the_hand_is_corrected(typed: str, meant: str) -> None:
    assert SHOP.corrections(typed)[0] == meant


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("sdd", "three letters"),
        ("258", "a number"),
        ("iphan", "two slips in five letters"),
        ("самсунг", "the other alphabet"),
        ("", "nothing"),
        ("ч" * 40, "nothing like it"),
    ],
)
def test_what_is_not_corrected(typed: str, why: str) -> None:
    assert SHOP.corrections(typed) == (), why


def test_nearer_comes_first_then_more_frequent_and_never_itself() -> None:
    assert SHOP.corrections("наушник") == ("наушники",)
    assert SHOP.corrections("наушникк") == ("наушники", "наушник")
    assert SHOP.corrections("чехлл") == ("чехлы", "чехол")[::-1]
    assert SHOP.corrections("phone") == ("iphone",)
    assert SHOP.corrections("iphone") == ("phone",)


def test_frequency_is_of_whole_words() -> None:
    assert [SHOP.frequency(word) for word in ("iphone", "256", "iphon", "")] == [50, 9, 0, 0]
    assert ("iphone" in SHOP, "iphon" in SHOP, len(SHOP), len(NO_WORDS)) == (True, False, 13, 0)


def test_no_word_has_more_corrections_than_the_bound() -> None:
    near = Vocabulary({f"слов{letter}": 1 for letter in "абвгдежзик"})

    assert len(near.corrections("слово")) == MAX_CORRECTIONS


def test_any_one_slip_in_any_word_finds_the_word_again() -> None:
    chance = random.Random(5)  # noqa: S311 - the same words every time
    letters = "абвгдеклмнопрст"
    words = {"".join(chance.choices(letters, k=chance.randrange(5, 12))) for _ in range(2000)}
    shop = Vocabulary(dict.fromkeys(words, 1))
    for word in sorted(words):
        place = chance.randrange(len(word) - 1)
        before, first, second, after = word[:place], word[place], word[place + 1], word[place + 2 :]
        for typed in (before + second + after, before + second + first + after, before + "ъ" + second + after):
            if len(typed) > 4 and typed not in words:
                assert word in shop.corrections(typed), (word, typed)
