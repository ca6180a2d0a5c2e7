"""Order numbers: readable, checked, and given out once."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from pymongo.database import Database

from gateway.mongo.client import Document
from ordering import numbers
from ordering.numbers import BLOCK, NUMBERS, claim_number, number_in, written


def test_number_is_ten_digits_in_groups_with_a_check(database: Database[Document]) -> None:
    number = claim_number()

    assert number_in(number) == number
    assert written(number.replace("-", "")) == number
    assert number_in(f" №{number.replace('-', ' ')}") == number


@pytest.mark.parametrize("text", ["", "482913075", "48291307521", "abc", "+7 999 123-45-67", "٤٨٢٩١٣٠٧٥٢"])
def test_what_is_no_number_is_known(text: str) -> None:
    assert number_in(text) is None


def test_every_misheard_digit_is_noticed(database: Database[Document]) -> None:
    digits = claim_number().replace("-", "")

    wrong = {
        digits[:place] + other + digits[place + 1 :]
        for place in range(len(digits))
        for other in "0123456789"
        if other != digits[place]
    }

    assert len(wrong) == 90
    assert [text for text in wrong if number_in(text)] == []


def test_many_at_once_are_all_different_and_all_stored(database: Database[Document]) -> None:
    NUMBERS.forget()
    with ThreadPoolExecutor(8) as pool:
        claimed = [future.result() for future in [pool.submit(claim_number) for _ in range(200)]]

    assert len(set(claimed)) == 200
    assert database["order_numbers"].count_documents({"_id": {"$in": claimed}}) == 200


def test_number_that_is_taken_is_never_given_out(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty draws of which all but one are taken."""
    NUMBERS.forget()
    taken = [written(f"1{number:09d}") for number in range(BLOCK)]
    database["order_numbers"].insert_many([{"_id": number} for number in taken[1:]])
    draws = iter(taken)
    monkeypatch.setattr(numbers, "_drawn", lambda: next(draws))

    assert claim_number() == taken[0]
    NUMBERS.forget()


def test_child_process_gives_out_numbers_of_its_own(database: Database[Document]) -> None:
    claim_number()
    reading, writing = os.pipe()

    if (child := os.fork()) == 0:
        os.write(writing, str(len(NUMBERS._claimed)).encode())
        os._exit(0)

    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"0"
    os.close(reading)
    os.close(writing)
