"""How many wrong guesses are looked at."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from deploy.local.stack import Stack
from gateway.accounts import attempts
from gateway.accounts.errors import TooManyFailures
from gateway.domain_errors import Code
from gateway.redis import cache_client


def allowed(email: str, client: str) -> bool:
    try:
        attempts.begin(email, client)
    except TooManyFailures:
        return False
    return True


def test_failures_are_counted_per_account_in_any_spelling(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 3

    guesses = [allowed(email, f"192.0.2.{n}") for n, email in enumerate(["a@example.com", " A@Example.com "] * 2)]

    assert guesses == [True, True, True, False]
    assert allowed("b@example.com", "192.0.2.1")


def test_failures_are_counted_per_address_whatever_the_account(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 3

    assert [allowed(f"{n}@example.com", "192.0.2.1") for n in range(4)] == [True, True, True, False]
    assert allowed("4@example.com", "192.0.2.2")


def test_refusal_says_when_to_try_again(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 0

    with pytest.raises(TooManyFailures) as refused:
        attempts.begin("a@example.com", "192.0.2.1")

    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.message("ru") == "Слишком много неудачных попыток входа. Повторите через 15 мин."
    assert refused.value.message("en") == "Too many failed attempts to sign in. Try again in 15 min."


def test_success_is_no_failure(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1

    for _ in range(5):
        attempts.begin("a@example.com", "192.0.2.1").take_back()

    assert allowed("a@example.com", "192.0.2.1")
    assert not allowed("a@example.com", "192.0.2.1")


def test_taking_back_after_the_window_leaves_no_credit(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1
    attempt = attempts.begin("a@example.com", "192.0.2.1")
    cache_client().delete(*attempt)

    attempt.take_back()

    assert cache_client().exists(*attempt) == 0


def test_counts_expire_with_the_window_and_are_not_prolonged(settings: Settings) -> None:
    attempt = attempts.begin("a@example.com", "192.0.2.1")
    cache_client().expire(attempt.account, 100)

    attempts.begin("a@example.com", "192.0.2.1")

    assert 0 < cache_client().ttl(attempt.account) <= 100
    assert 100 < cache_client().ttl(attempt.address) <= settings.SIGN_IN_WINDOW_SECONDS


def test_guesses_at_once_never_exceed_the_limit(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 10
    together = threading.Barrier(40)

    def guess(number: int) -> bool:
        together.wait()
        return allowed("a@example.com", f"192.0.2.{number}")

    with ThreadPoolExecutor(40) as pool:
        looked_at = sum(pool.map(guess, range(40)))

    assert looked_at == 10


def test_redis_holds_no_addresses_of_accounts() -> None:
    attempts.begin("secret-customer@example.com", "192.0.2.1")

    assert not any("secret-customer" in key for key in cache_client().scan_iter("attempts:*"))


def test_without_redis_nobody_is_counted(settings: Settings, stack: Stack) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 0
    stack.kill("cache")

    attempt = attempts.begin("a@example.com", "192.0.2.1")
    attempt.take_back()

    stack.start("cache")
    assert not allowed("a@example.com", "192.0.2.1")
