"""Limits on attempts to sign in and to register, and on letters that anybody may cause.

A stranger must not keep an owner out. So failures at one account are counted apart: for each device where it has signed
in before; for each network; and, with short waits, for all networks that it has not signed in from lately.
"""

import math

from django.conf import settings
from django.utils.crypto import salted_hmac

from gateway.accounts.errors import TooManyDownloads, TooManyFailures, TooManyLetters, TooManyRegistrations
from gateway.accounts.models import User, normalize_email
from gateway.accounts.sign_in.known_devices import is_known_network, proven_device
from gateway.accounts.sign_in.passwords import is_readable
from gateway.accounts.sign_in.tallies import Counted, Full, Tally, count

# After as many failures as are free: one minute, two, four … up to the end of the window.
FIRST_WAIT = 60
# For all strangers together: five seconds, ten, twenty … up to a minute, since anybody may raise their number.
STRANGERS_FIRST_WAIT, STRANGERS_LONGEST_WAIT = 5, 60
LETTERS_WINDOW_SECONDS = 3600
# Of all that the shop has of a customer, in the same window: nobody needs it oftener.
DOWNLOADS = 10


def begin(email: str, client: str, device: str | None = None) -> Counted:
    """Count an attempt as failed until it is taken back, or raise TooManyFailures and count nothing.

    `client`: the network it comes from; `device`: the cookie that proves a known device.
    """
    try:
        return count(*_tallies(email, client, device))
    except Full as full:
        raise TooManyFailures(minutes=math.ceil(full.seconds / 60)) from None


def begin_registration(client: str) -> Counted:
    """Count a registration from this network until it is taken back, or raise TooManyRegistrations."""
    window = settings.REGISTRATION_WINDOW_SECONDS
    tally = Tally(f"attempts:registrations:{client}", settings.REGISTRATIONS_PER_ADDRESS, window, window, window)
    try:
        return count(tally)
    except Full as full:
        raise TooManyRegistrations(minutes=math.ceil(full.seconds / 60)) from None


def begin_letter(address: str, client: str) -> None:
    """Count a letter that this network causes to this address, or raise TooManyLetters: nobody's mailbox is filled."""
    window = LETTERS_WINDOW_SECONDS
    to, by = settings.ACCOUNT_LETTERS_PER_ADDRESS, settings.ACCOUNT_LETTERS_PER_CLIENT
    try:
        count(
            Tally(f"attempts:letters-to:{_hashed(address)}", to, window, window, window),
            Tally(f"attempts:letters-by:{client}", by, window, window, window),
        )
    except Full as full:
        raise TooManyLetters(minutes=math.ceil(full.seconds / 60)) from None


def begin_download(user_id: str) -> None:
    """Count a download of the account's own data, or raise TooManyDownloads: each reads all of its orders."""
    try:
        count(Tally(f"attempts:downloads:{user_id}", DOWNLOADS, *[LETTERS_WINDOW_SECONDS] * 3))
    except Full as full:
        raise TooManyDownloads(minutes=math.ceil(full.seconds / 60)) from None


def _tallies(email: str, client: str, device: str | None) -> list[Tally]:
    window = settings.SIGN_IN_WINDOW_SECONDS
    account, user = _hashed(normalize_email(email)), _account(email)
    of_own = (settings.SIGN_IN_FAILURES_PER_ACCOUNT, window, FIRST_WAIT, window)
    if known := proven_device(device, user):
        return [Tally(f"attempts:device:{account}:{_hashed(known)}", *of_own)]
    tallies = [
        Tally(f"attempts:network:{account}:{client}", *of_own),
        Tally(f"attempts:address:{client}", settings.SIGN_IN_FAILURES_PER_ADDRESS, window, window, window),
    ]
    if not is_known_network(client, user):
        waits = (STRANGERS_FIRST_WAIT, STRANGERS_LONGEST_WAIT)
        tallies.append(Tally(f"attempts:strangers:{account}", settings.SIGN_IN_FAILURES_OF_STRANGERS, window, *waits))
    return tallies


def _account(email: str) -> User:
    """The account, as far as known devices need it; an empty one for an unknown address, so that both cost the same."""
    wanted = normalize_email(email) if is_readable(email) else ""
    return User.objects.filter(email=wanted).only("password", "session_generation").first() or User()


def _hashed(text: str) -> str:
    """A keyed hash of the text, so that Redis holds no list of customers."""
    return salted_hmac("accounts.attempts", text.encode(errors="replace"), algorithm="sha256").hexdigest()[:32]
