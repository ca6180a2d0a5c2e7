"""What hashing passwords may take: two at once, a few waiting, nothing of anybody else's."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.test import Client
from pymongo.database import Database
from pytest_django import Settings

from gateway import settings as gateway_settings
from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.errors import TooManySignIns
from gateway.accounts.models import User
from gateway.accounts.sessions.account import user_of
from gateway.accounts.sign_in import hashing
from gateway.accounts.sign_in.hashing import HashingPool, ServerArgon2, hashing_pool
from gateway.accounts.sign_in.passwords import user_with
from gateway.accounts.tests.sessions import signed_in
from gateway.domain.errors import Code
from gateway.mongo.client import Document

PASSWORD = "correct horse battery"
STAFF = {"username": "staff@mobile-world.example", "password": DEMO_PASSWORD}


class Work:
    """Something long, to be counted while it runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end = threading.Event()
        self.begun = threading.Semaphore(0)
        self.running = 0
        self.most = 0
        self.done = 0

    def __call__(self) -> None:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.begun.release()
        self._end.wait()
        with self._lock:
            self.running -= 1
            self.done += 1

    def end(self) -> None:
        self._end.set()


@pytest.fixture
def work() -> Iterator[Work]:
    work = Work()
    yield work
    work.end()


@pytest.fixture
def pool(settings: Settings) -> Iterator[HashingPool]:
    """The process's pool with two threads and three places to wait."""
    settings.PASSWORD_THREADS, settings.PASSWORD_QUEUE = 2, 3
    hashing.hashing_pool.cache_clear()
    yield hashing_pool()
    hashing.hashing_pool.cache_clear()


def filled(pool: HashingPool, work: Work) -> list[Future[None]]:
    """Two run, three wait."""
    futures = [pool.submit(work) for _ in range(5)]
    for _ in range(2):
        work.begun.acquire()
    return futures


def test_two_run_at_once_three_wait_and_the_sixth_is_refused_with_nothing_begun(pool: HashingPool, work: Work) -> None:
    futures = filled(pool, work)

    with pytest.raises(TooManySignIns) as refused:
        pool.submit(work)
    running = work.running
    work.end()
    for future in futures:
        future.result()

    assert (running, work.most, work.done) == (2, 2, 5)
    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.message("en") == "Too many people are signing in at the moment. Try again in a few seconds."
    assert pool.run(lambda: "free again") == "free again"


def test_whoever_gives_up_waiting_makes_room_and_is_never_begun(pool: HashingPool, work: Work) -> None:
    *others, last = filled(pool, work)

    assert last.cancel()
    instead = pool.submit(work)
    work.end()
    for future in (*others, instead):
        future.result()
    assert pool.run(lambda: work.done) == 5


def test_what_fails_gives_its_place_back(pool: HashingPool) -> None:
    for _ in range(10):
        with pytest.raises(ZeroDivisionError):
            pool.run(lambda: 1 // 0)

    assert pool.run(lambda: "free") == "free"


def test_no_password_is_hashed_outside_the_pool(pool: HashingPool, work: Work, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = gateway_settings.PASSWORD_HASHERS
    known = User(email="a@example.com", password=make_password(PASSWORD))
    filled(pool, work)

    for hash_one in (
        lambda: make_password(PASSWORD),
        lambda: known.set_password(PASSWORD),
        lambda: known.check_password(PASSWORD),
    ):
        with pytest.raises(TooManySignIns):
            hash_one()


def test_inside_the_pool_hashing_takes_no_second_place(pool: HashingPool, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = gateway_settings.PASSWORD_HASHERS

    with ThreadPoolExecutor(5) as callers:
        hashed = list(callers.map(lambda _: pool.run(make_password, PASSWORD), range(5)))

    assert all(one.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$") for one in hashed)


# ---------------------------------------------------------------- hashes of older parameters


@pytest.fixture
def old(database: Database[Document], settings: Settings) -> User:
    """Whose password was hashed as Django does by default."""
    settings.PASSWORD_HASHERS = gateway_settings.PASSWORD_HASHERS
    user = User.objects.create_user("ivan@example.com")
    User.objects.filter(pk=user.pk).update(password=Argon2PasswordHasher().encode(PASSWORD, "s" * 22))
    user.refresh_from_db()
    assert "m=102400" in user.password
    return user


def stored(user: User) -> str:
    password: str = User.objects.get(pk=user.pk).password
    return password


def test_old_hash_is_made_anew_when_its_owner_signs_in(old: User) -> None:
    assert user_with("ivan@example.com", PASSWORD) == old

    assert ServerArgon2().must_update(old.password)
    assert not ServerArgon2().must_update(stored(old))
    assert user_with("ivan@example.com", PASSWORD) == old


def test_wrong_guess_leaves_the_old_hash_alone(old: User) -> None:
    assert not old.check_password("wrong")

    assert stored(old) == old.password


def test_two_that_sign_in_at_once_make_it_anew_once_and_both_stay_signed_in(old: User) -> None:
    first, second = User.objects.get(pk=old.pk), User.objects.get(pk=old.pk)
    assert first.check_password(PASSWORD)
    session = signed_in(first)

    assert second.check_password(PASSWORD)

    assert first.password == second.password == stored(old)
    assert user_of(session) == user_of(signed_in(second)) == old


def test_password_that_was_changed_while_the_old_one_was_checked_is_the_one_that_counts(old: User) -> None:
    seen = User.objects.get(pk=old.pk)
    changed = User.objects.get(pk=old.pk)
    changed.set_password("another good phrase")
    changed.save()

    assert not seen.check_password(PASSWORD)
    assert stored(old) == changed.password


# ---------------------------------------------------------------- the admin's pages


def test_admins_form_says_so_too(database: Database[Document], pool: HashingPool, work: Work) -> None:
    ensure_demo_accounts()
    filled(pool, work)
    browser = Client()

    refused = browser.post("/admin/login/", STAFF, headers={"accept-language": "ru"})
    work.end()

    assert "Сейчас входит слишком много людей" in refused.content.decode()
    assert "sessionid" not in browser.cookies


def test_page_that_would_set_a_password_answers_that_it_cannot_now(
    database: Database[Document], pool: HashingPool, work: Work, settings: Settings
) -> None:
    ensure_demo_accounts()
    settings.PASSWORD_HASHERS = gateway_settings.PASSWORD_HASHERS
    browser = Client()
    browser.force_login(User.objects.get(email=STAFF["username"]))
    filled(pool, work)
    new = {"old_password": PASSWORD, "new_password1": "another-password", "new_password2": "another-password"}

    answer = browser.post("/admin/password_change/", new)
    work.end()

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert "_auth_user_id" in browser.session
