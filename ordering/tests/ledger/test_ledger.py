"""The arithmetic of the ledger: whatever happens in whatever order, no kopeck is lost, made up or owed twice."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordering.ledger.ledger import (
    NOTHING,
    Entry,
    HasFailed,
    Kind,
    Ledger,
    MoreThanCame,
    Origin,
    OtherAmount,
    RefundLine,
    State,
    came,
    due_back,
    kept,
    new_entry,
    owed,
    paid,
    refunded,
    with_chargeback,
    with_excess,
    with_payout,
    with_refund,
    with_repayment,
    without_chargeback,
    without_payout,
)

ORIGIN = Origin(datetime(2026, 3, 1, tzinfo=UTC), "marina", "staff")
LINE = (RefundLine("PROD-1", 1),)


def payment(amount: str, reference: str = "p") -> Entry:
    return new_entry(Kind.PAYMENT, State.DONE, Decimal(amount), reference, ORIGIN)


def refund(amount: str, reference: str = "r") -> Entry:
    return new_entry(Kind.REFUND, State.DONE, Decimal(amount), reference, ORIGIN)._replace(lines=LINE)


def figures(ledger: Ledger) -> tuple[str, ...]:
    """Paid, refunded, due back, kept."""
    return tuple(f"{figure(ledger):.0f}" for figure in (paid, refunded, due_back, kept))


def shown(ledger: Ledger) -> list[tuple[str, str, str, str]]:
    return [(entry.kind.value, entry.state.value, f"{entry.amount:.0f}", entry.reference) for entry in ledger]


def test_excess_is_owed_of_the_last_payment_and_no_part_of_what_was_paid() -> None:
    ledger = with_excess((payment("100", "p1"), payment("50", "p2")), Decimal(60), ORIGIN)

    assert shown(ledger)[2:] == [("excess", "due", "10", "p1"), ("excess", "due", "50", "p2")]
    assert figures(ledger) == ("90", "0", "60", "90")


def test_repayment_settles_an_excess_and_one_that_fails_makes_it_due_again() -> None:
    owing = with_excess((payment("100"),), Decimal(100), ORIGIN)

    settled = with_repayment(owing, owing[1], "b1", ORIGIN)
    failed = without_payout(settled, Decimal(100), "b1", ORIGIN)

    assert shown(settled)[1:] == [("excess", "done", "100", "p"), ("repayment", "done", "100", "b1")]
    assert figures(settled) == ("0", "0", "0", "0")
    assert shown(failed)[1:] == [("excess", "due", "100", "p"), ("repayment", "failed", "100", "b1")]
    assert figures(failed) == ("0", "0", "100", "0")
    assert without_payout(failed, Decimal(100), "b1", ORIGIN) is failed
    assert with_payout(failed, Decimal(100), "b1", ORIGIN, is_paid=False) is failed
    with pytest.raises(HasFailed):
        with_repayment(failed, failed[1], "b1", ORIGIN)


def test_refund_that_does_not_arrive_is_due_until_it_is_repaid_under_another_reference() -> None:
    ledger = with_refund((payment("100"),), refund("40"))
    assert figures(ledger) == ("100", "40", "0", "60")

    failed = without_payout(ledger, Decimal(40), "r", ORIGIN)
    settled = with_repayment(failed, failed[1], "b1", ORIGIN)

    assert shown(failed)[1:] == [("refund", "due", "40", "r"), ("repayment", "failed", "40", "r")]
    assert figures(failed) == ("100", "0", "40", "60")
    assert shown(settled)[1:] == [
        ("refund", "done", "40", "r"),
        ("repayment", "failed", "40", "r"),
        ("repayment", "done", "40", "b1"),
    ]
    assert figures(settled) == ("100", "40", "0", "60")
    # Told once more, it is no second failure.
    assert without_payout(settled, Decimal(40), "r", ORIGIN) is settled


def test_payout_that_nobody_here_began_answers_what_is_owed_and_takes_the_rest_from_the_order() -> None:
    ledger = with_excess((payment("100"),), Decimal(10), ORIGIN)

    after = with_payout(ledger, Decimal(25), "x", ORIGIN._replace(source="webhook"), is_paid=True)

    assert shown(after)[1:] == [
        ("excess", "done", "10", "p"),
        ("refund", "done", "15", "x"),
        ("repayment", "done", "10", "x"),
    ]
    assert figures(after) == ("90", "15", "0", "75")
    undone = without_payout(after, Decimal(25), "x", ORIGIN)
    assert figures(undone) == figures(ledger)


def test_payout_of_exactly_one_debt_settles_that_one() -> None:
    ledger = with_excess((payment("100", "p1"),), Decimal(100), ORIGIN)
    ledger = with_excess((*ledger, payment("70", "p2")), Decimal(70), ORIGIN)

    after = with_payout(ledger, Decimal(70), "x", ORIGIN, is_paid=False)

    assert [(entry.reference, entry.state.value) for entry in after if entry.kind is Kind.EXCESS] == [
        ("p1", "due"),
        ("p2", "done"),
    ]


def test_part_of_a_debt_leaves_the_rest_due() -> None:
    ledger = with_excess((payment("100"),), Decimal(100), ORIGIN)

    after = with_payout(ledger, Decimal(30), "x", ORIGIN, is_paid=False)
    settled = with_repayment(after, after[1], "b1", ORIGIN)

    assert (shown(after)[1], due_back(after)) == (("excess", "due", "100", "p"), Decimal(70))
    assert (shown(settled)[1], shown(settled)[-1]) == (
        ("excess", "done", "100", "p"),
        ("repayment", "done", "70", "b1"),
    )


def test_chargeback_takes_what_is_owed_first_and_its_reversal_gives_both_back() -> None:
    ledger = with_excess((payment("100"),), Decimal(10), ORIGIN)

    taken = with_chargeback(ledger, Decimal(100), "c", ORIGIN)
    given = without_chargeback(taken, Decimal(100), "c", ORIGIN)

    assert figures(taken) == ("90", "90", "0", "0")
    assert figures(given) == figures(ledger)
    assert shown(given)[1:] == [("excess", "due", "10", "p"), ("chargeback", "failed", "100", "c")]
    assert with_chargeback(given, Decimal(100), "c", ORIGIN) is given


def test_reversal_that_arrives_before_its_chargeback_leaves_nothing_to_do() -> None:
    ledger = (payment("100"),)

    reversed_first = without_chargeback(ledger, Decimal(100), "c", ORIGIN)

    assert figures(reversed_first) == figures(ledger)
    assert with_chargeback(reversed_first, Decimal(100), "c", ORIGIN) is reversed_first


def test_buyer_who_was_paid_back_and_charges_back_as_well_is_owed_nothing_when_the_first_fails() -> None:
    owing = with_excess((payment("100"),), Decimal(100), ORIGIN)
    settled = with_repayment(owing, owing[1], "b1", ORIGIN)
    twice = with_chargeback(settled, Decimal(100), "c", ORIGIN)
    assert figures(twice) == ("0", "100", "0", "-100")

    once = without_payout(twice, Decimal(100), "b1", ORIGIN)

    assert figures(once) == ("0", "0", "0", "0")


@pytest.mark.parametrize(
    "action",
    [
        lambda ledger: with_refund(ledger, refund("91")),
        lambda ledger: with_payout(ledger, Decimal(101), "x", ORIGIN, is_paid=True),
        lambda ledger: with_payout(ledger, Decimal(101), "x", ORIGIN, is_paid=False),
        lambda ledger: with_chargeback(ledger, Decimal(101), "x", ORIGIN),
    ],
    ids=["refund", "payout of a paid order", "payout of an unpaid order", "chargeback"],
)
def test_no_more_goes_out_than_came(action: Callable[[Ledger], Ledger]) -> None:
    ledger = with_excess((payment("100"),), Decimal(10), ORIGIN)

    with pytest.raises(MoreThanCame):
        action(ledger)


@pytest.mark.parametrize(
    "action",
    [
        lambda ledger: with_payout(ledger, Decimal(39), "r", ORIGIN, is_paid=True),
        lambda ledger: without_payout(ledger, Decimal(39), "r", ORIGIN),
        lambda ledger: with_chargeback(ledger, Decimal(4), "c", ORIGIN),
        lambda ledger: without_chargeback(ledger, Decimal(4), "c", ORIGIN),
    ],
    ids=["payout", "failed payout", "chargeback", "reversal"],
)
def test_reference_stands_for_one_amount(action: Callable[[Ledger], Ledger]) -> None:
    ledger = with_chargeback(with_refund((payment("100"),), refund("40")), Decimal(5), "c", ORIGIN)

    with pytest.raises(OtherAmount):
        action(ledger)


@dataclass
class Books:
    """A ledger, and beside it the bank's accounts as they really are. Each method is something that may happen."""

    ledger: Ledger = ()
    came: Decimal = NOTHING
    out: dict[str, Decimal] = field(default_factory=dict)

    @property
    def went(self) -> Decimal:
        return sum(self.out.values(), NOTHING)

    @property
    def taken_by_banks(self) -> Decimal:
        return sum((amount for reference, amount in self.out.items() if reference.startswith("c")), NOTHING)

    def pay(self, amount: Decimal, _: int) -> None:
        self.ledger = (*self.ledger, payment(str(amount), f"p{len(self.ledger)}"))
        self.came += amount

    def close(self, _: Decimal, __: int) -> None:
        if kept(self.ledger) > 0:
            self.ledger = with_excess(self.ledger, kept(self.ledger), ORIGIN)

    def refund(self, amount: Decimal, _: int) -> None:
        reference = f"r{len(self.ledger)}"
        self.ledger = with_refund(self.ledger, refund(str(amount), reference))
        self.out[reference] = amount

    def settle(self, _: Decimal, number: int) -> None:
        claims = [entry for entry in self.ledger if owed(self.ledger, entry)]
        if claims:
            claim, reference = claims[number % len(claims)], f"b{len(self.ledger)}"
            self.out[reference] = owed(self.ledger, claim)
            self.ledger = with_repayment(self.ledger, claim, reference, ORIGIN)

    def pay_out(self, amount: Decimal, number: int) -> None:
        after = with_payout(self.ledger, amount, f"x{number}", ORIGIN, is_paid=number % 2 == 0)
        if after is not self.ledger:
            self.ledger, self.out[f"x{number}"] = after, amount

    def fail(self, amount: Decimal, number: int) -> None:
        out = [reference for reference in self.out if not reference.startswith("c")]
        reference = out[number % len(out)] if out else f"x{number}"
        self.ledger = without_payout(self.ledger, self.out.pop(reference, amount), reference, ORIGIN)

    def charge_back(self, amount: Decimal, number: int) -> None:
        after = with_chargeback(self.ledger, amount, f"c{number}", ORIGIN)
        if after is not self.ledger:
            self.ledger, self.out[f"c{number}"] = after, amount

    def reverse(self, amount: Decimal, number: int) -> None:
        amount = self.out.get(f"c{number}", amount)
        self.ledger = without_chargeback(self.ledger, amount, f"c{number}", ORIGIN)
        self.out.pop(f"c{number}", None)

    def repeat(self, _: Decimal, __: int) -> None:
        """Whatever has been told is told once more."""
        for reference, amount in self.out.items():
            if reference.startswith("c"):
                assert with_chargeback(self.ledger, amount, reference, ORIGIN) is self.ledger
            else:
                assert with_payout(self.ledger, amount, reference, ORIGIN, is_paid=True) is self.ledger


HAPPENINGS = ("pay", "close", "refund", "settle", "pay_out", "fail", "charge_back", "reverse", "repeat")
STEPS = st.lists(st.tuples(st.sampled_from(HAPPENINGS), st.integers(1, 9), st.integers(0, 5)), max_size=25)


@settings(max_examples=500)
@given(STEPS)
def test_books_agree_with_the_bank_after_anything_that_may_happen(steps: list[tuple[str, int, int]]) -> None:
    books = Books()
    for step, amount, number in steps:
        with suppress(MoreThanCame, OtherAmount, HasFailed):
            getattr(books, step)(Decimal(amount), number)
        ledger = books.ledger
        assert came(ledger) == books.came
        # All that came is kept, went back, or is owed.
        assert came(ledger) == kept(ledger) + books.went + due_back(ledger)
        assert all(0 <= owed(ledger, entry) <= entry.amount for entry in ledger)
        assert all((entry.state is State.DUE) == (owed(ledger, entry) > 0) for entry in ledger)
        assert min(due_back(ledger), paid(ledger), refunded(ledger)) >= 0
        # Only a bank can take more than came, up to as much again; then nothing is owed on top.
        assert books.went - books.taken_by_banks <= came(ledger)
        assert books.taken_by_banks <= came(ledger)
        assert kept(ledger) >= 0 or due_back(ledger) == 0
