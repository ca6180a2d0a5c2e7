"""The order of things at a sign-in: what is handed over when, and that a refusal hands nothing over."""

import pytest
from pymongo.database import Database
from pytest_django import Settings

from cart.merge import Merged, MergeMode
from gateway.accounts.errors import BadCredentials, TooManyFailures
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.tests.sessions import is_alive, key_of, signed_in
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.viewer import handover
from gateway.viewer.sign_in import SignedIn, Visit, enter, make_account, recognise
from gateway.viewer.tests.visitor import PASSWORD


class Merges:
    """What was handed over, in place of the cart's own merge: its order among the other steps is what counts here."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, MergeMode, bool]] = []
        self.dropped: tuple[str, ...] = ()
        self.guest_key = ""

    def __call__(self, guest: str, customer: str, mode: MergeMode) -> Merged:
        self.seen.append((guest, customer, mode, is_alive(self.guest_key)))
        return Merged(self.dropped)


@pytest.fixture
def merges(monkeypatch: pytest.MonkeyPatch) -> Merges:
    merges = Merges()
    monkeypatch.setattr(handover, "merge_guest_cart", merges)
    return merges


def visit_of(session: SessionStore | None, user: User | None = None) -> Visit:
    owner = None
    if session and session.session_id:
        owner = customer_owner(user.pk) if user else guest_owner(session.session_id)
    return Visit(client="192.0.2.1", device=None, session=session, owner=owner, new_session=SessionStore())


def sign_in(visit: Visit, email: str, password: str, mode: MergeMode) -> SignedIn:
    return enter(visit, recognise(visit, email, password), mode)


def sign_up(visit: Visit, email: str, password: str, *, name: str, phone: str) -> SignedIn:
    return enter(visit, make_account(visit, email, password, name=name, phone=phone), MergeMode.MERGE)


def guest_session() -> SessionStore:
    session = SessionStore()
    session.create()
    return session


@pytest.mark.parametrize(
    ("mode", "then"),
    [
        (MergeMode.MERGE, MergeMode.MERGE),
        (MergeMode.KEEP_CUSTOMER, MergeMode.KEEP_CUSTOMER),
        # What was added meanwhile must not replace the guest's cart that has just been taken over.
        (MergeMode.KEEP_GUEST, MergeMode.MERGE),
    ],
)
def test_guests_things_are_handed_over_before_the_old_session_ends_and_once_more_after(
    ivan: User, merges: Merges, mode: MergeMode, then: MergeMode
) -> None:
    guest = guest_session()
    merges.guest_key = key_of(guest)
    merges.dropped = ("Чехол",)

    done = sign_in(visit_of(guest), "ivan@example.com", PASSWORD, mode)

    owners = guest_owner(session_hash(merges.guest_key)), customer_owner(ivan.pk)
    assert merges.seen == [(*owners, mode, True), (*owners, then, False)]
    assert done.lines_dropped == ("Чехол", "Чехол")
    assert is_alive(key_of(done.session))


@pytest.mark.usefixtures("ivan")
def test_crash_while_handing_over_leaves_the_guest_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    guest = guest_session()

    def crash(*_: object) -> Merged:
        raise ConnectionError

    monkeypatch.setattr(handover, "merge_guest_cart", crash)
    with pytest.raises(ConnectionError):
        sign_in(visit_of(guest), "ivan@example.com", PASSWORD, MergeMode.MERGE)

    assert is_alive(key_of(guest))


def test_customers_session_hands_nothing_over_to_another_account(ivan: User, merges: Merges) -> None:
    User.objects.create_user("anna@example.com", PASSWORD)

    sign_in(visit_of(signed_in(ivan), ivan), "anna@example.com", PASSWORD, MergeMode.MERGE)

    assert merges.seen == []


@pytest.mark.usefixtures("ivan")
def test_refused_attempts_hand_nothing_over_and_end_nothing(merges: Merges, settings: Settings) -> None:
    guest = guest_session()
    for email, password in (("ivan@example.com", "wrong"), ("nobody@example.com", PASSWORD)):
        with pytest.raises(DomainError):
            sign_in(visit_of(guest), email, password, MergeMode.MERGE)
    with pytest.raises(DomainError):
        sign_up(visit_of(guest), "ivan@example.com", PASSWORD, name="", phone="")
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1
    with pytest.raises(BadCredentials):
        sign_in(visit_of(guest), "ivan@example.com", "wrong", MergeMode.MERGE)
    with pytest.raises(TooManyFailures):
        sign_in(visit_of(guest), "ivan@example.com", PASSWORD, MergeMode.MERGE)

    assert merges.seen == []
    assert is_alive(key_of(guest))


def test_mistakes_in_the_form_do_not_count_as_failures(database: Database[Document], settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1
    for _ in range(3):
        with pytest.raises(DomainError):
            sign_up(visit_of(None), "ivan@example.com", "123", name="", phone="")

    assert sign_up(visit_of(None), "ivan@example.com", PASSWORD, name="", phone="").user.email == "ivan@example.com"


def test_signing_in_notes_the_time(ivan: User) -> None:
    sign_in(visit_of(None), "ivan@example.com", PASSWORD, MergeMode.MERGE)

    assert ivan.last_login is None
    ivan.refresh_from_db()
    assert ivan.last_login is not None
