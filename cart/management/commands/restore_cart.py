from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pymongo.errors import PyMongoError

from cart.cassandra.restore import Copy, NotRestored, copy_of, refuse_unless_lost, restore_cart
from gateway.accounts.models import User, normalize_email
from gateway.accounts.owners import customer_owner
from gateway.cassandra.errors import CassandraError


class Command(BaseCommand):
    help = (
        "Make a lost cart again from its copy in Cassandra, which lives for 24 hours after the last change. Refuses"
        " when the buyer has an active cart."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "buyer", help="e-mail of a customer, or the owner of the cart: u:<user id>, s:<session hash>"
        )
        parser.add_argument("--dry-run", action="store_true", help="show the copy and change nothing")

    def handle(self, *_args: Any, buyer: str, dry_run: bool, **_options: Any) -> None:
        try:
            copy = copy_of(_owner(buyer))
            refuse_unless_lost(copy)
            self._show(copy)
            if dry_run:
                self.stdout.write("nothing was changed")
            else:
                self.stdout.write(self.style.SUCCESS(f"restored as cart {restore_cart(copy)}"))
        except (NotRestored, CassandraError, PyMongoError) as error:
            raise CommandError(str(error)) from error

    def _show(self, copy: Copy) -> None:
        self.stdout.write(f"cart {copy.cart_id} of {copy.owner}, changed {copy.updated_at:%Y-%m-%d %H:%M:%S} UTC")
        for line in copy.lines:
            self.stdout.write(f"  {line.quantity} × {line.name} ({line.product_id}), {line.price_seen}")


def _owner(buyer: str) -> str:
    if "@" in buyer:
        user = User.objects.filter(email=normalize_email(buyer)).first()
        if user is None:
            raise CommandError(f"There is no customer with the e-mail {buyer}.")
        return customer_owner(user.pk)
    if buyer.startswith(("u:", "s:")):
        return buyer
    raise CommandError(f"{buyer!r} is neither an e-mail nor an owner (u:<user id> or s:<session hash>).")
