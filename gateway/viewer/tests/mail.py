"""Letters about accounts: sent as a worker would, and what stands in them."""

import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from urllib.parse import unquote

from gateway.accounts.own.delivery import send_overdue_letters
from ordering.tests.postbox import Postbox, text


class Mail:
    def __init__(self, postbox: Postbox) -> None:
        self.postbox = postbox

    def arrive(self) -> list[EmailMessage]:
        """Send what is due, as the sweep does a minute later; the letters that came now."""
        before = len(self.postbox.letters)
        send_overdue_letters(limit=100, now=datetime.now(UTC) + timedelta(minutes=2))
        return self.postbox.letters[before:]

    def token(self) -> str:
        """From the link of the only letter with one that comes now."""
        (token,) = [token for letter in self.arrive() for token in tokens(letter)]
        return token


def tokens(letter: EmailMessage) -> list[str]:
    return [unquote(found) for found in re.findall(r"\?token=(\S+)", text(letter))]
