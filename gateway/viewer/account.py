"""Mutations by which customers change their own accounts."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import strawberry
from strawberry.types import Info

from gateway.accounts.errors import UnknownSession
from gateway.accounts.models import User as Account
from gateway.accounts.own.profile import Owner, Profile, update_account
from gateway.accounts.sign_in.hashing import run_hashing
from gateway.accounts.sign_in.known_devices import device_proof
from gateway.accounts.sign_out import end_session
from gateway.domain.errors import DomainError, NotSignedIn
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import given
from gateway.graphql.relay.ids import key_of
from gateway.graphql.user_errors import user_errors
from gateway.graphql.writes import run_write
from gateway.viewer.address_book import Entry, UnknownAddress, remove_address, save_address
from gateway.viewer.deletion import delete_account, require_owner
from gateway.viewer.types import AccountPayload, SessionPayload, User, Viewer
from ordering.graphql.payloads import AddressInput


@strawberry.type
class AccountMutation:
    @strawberry.mutation(
        description="Changes one's own account, all or nothing; what is null stays. email and newPassword need"
        " password, and newPassword ends every other session. Accounts of staff are changed in the admin."
    )
    async def account_update(
        self,
        info: Info[RequestContext, None],
        name: Annotated[str | None, strawberry.argument(description="How to call the customer.")] = strawberry.UNSET,
        phone: Annotated[
            str | None, strawberry.argument(description="In any spelling, e.g. +7 912 345-67-89.")
        ] = strawberry.UNSET,
        email: Annotated[
            str | None,
            strawberry.argument(
                description="Takes effect once it is confirmed by the link of the letter to it; until then it is"
                " User.newEmail. The account's own address takes that back, or has its letter sent once more."
            ),
        ] = strawberry.UNSET,
        new_password: Annotated[
            str | None, strawberry.argument(description="Not one that is easily guessed: WEAK_PASSWORD says why.")
        ] = strawberry.UNSET,
        password: Annotated[str | None, strawberry.argument(description="The password until now.")] = strawberry.UNSET,
    ) -> AccountPayload:
        wanted = Profile(given(name), given(phone), given(email), given(new_password))
        run = run_hashing if wanted.needs_password else run_write
        try:
            owner = await _owner(info.context)
            user = await run(partial(update_account, owner, wanted, given(password)))
        except DomainError as error:
            return _refusal(info.context, error)
        info.context.account_changed(user, owner.session)
        if wanted.new_password is not None:
            info.context.remember_device(device_proof(user, owner.device))
        return AccountPayload(user=User(account=user), user_errors=[])

    @strawberry.mutation(
        description="Ends one session of one's own, by Session.id: of this device too, which is then signed out."
        " NOT_FOUND when it has ended already."
    )
    async def session_end(
        self,
        info: Info[RequestContext, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="Session.id")],  # noqa: A002
    ) -> AccountPayload:
        try:
            owner, key = await _owner(info.context), key_of("Session", id, 1)
            if key is None:
                raise UnknownSession("id")
            await run_write(end_session, owner.user, key[0])
        except DomainError as error:
            return _refusal(info.context, error)
        if key[0] == owner.session.session_id:
            info.context.sign_out()
            return AccountPayload(user_errors=[])
        return AccountPayload(user=User(account=owner.user), user_errors=[])

    @strawberry.mutation(
        description="Puts an address into the customer's book, or changes the one with this id. It is checked as at"
        " checkout; what is there already is not added twice; at most 20."
    )
    async def address_save(
        self,
        info: Info[RequestContext, None],
        label: Annotated[str, strawberry.argument(description="What the customer calls it, e.g. «Дача».")],
        address: Annotated[AddressInput, strawberry.argument(description="Where it is.")],
        id: Annotated[  # noqa: A002
            strawberry.ID | None, strawberry.argument(description="SavedAddress.id; left out: a new one.")
        ] = strawberry.UNSET,
    ) -> AccountPayload:
        entry = Entry(label, address.details())
        return await _in_the_book(info.context, given(id), lambda user_id, key: save_address(user_id, key, entry))

    @strawberry.mutation(
        description="Takes an address out of the customer's book; orders keep theirs. NOT_FOUND: it is gone already."
    )
    async def address_remove(
        self,
        info: Info[RequestContext, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="SavedAddress.id.")],  # noqa: A002
    ) -> AccountPayload:
        return await _in_the_book(info.context, id, lambda user_id, key: remove_address(user_id, key or ""))

    @strawberry.mutation(
        description="Deletes one's own account for good: contacts, addresses and sessions go, the cart is emptied,"
        " orders stay without contacts. CONFLICT while an order is not done or money is due back."
    )
    async def account_delete(
        self,
        info: Info[RequestContext, None],
        password: Annotated[str, strawberry.argument(description="The account's password.")],
    ) -> SessionPayload:
        try:
            owner = await _owner(info.context)
            await run_hashing(require_owner, owner, password)
            await run_write(delete_account, owner)
        except DomainError as error:
            return SessionPayload(user_errors=user_errors(error, info.context.language), warnings=[])
        info.context.sign_out()
        return SessionPayload(viewer=Viewer(), user_errors=[], warnings=[])


async def _in_the_book(
    context: RequestContext, id_: str | None, change: Callable[[str, str | None], None]
) -> AccountPayload:
    """Change the viewer's address book; `change` gets the account's id and the address's own."""
    try:
        owner = await _owner(context)
        key = key_of("SavedAddress", id_, 1) if id_ is not None else None
        if id_ is not None and key is None:
            raise UnknownAddress("id")
        await run_write(change, str(owner.user.pk), key[0] if key else None)
    except DomainError as error:
        return _refusal(context, error)
    return AccountPayload(user=User(account=owner.user), user_errors=[])


async def _owner(context: RequestContext) -> Owner:
    """Whoever is signed in. Raises NotSignedIn."""
    user, session = await context.user(), await context.session()
    if not isinstance(user, Account) or session is None:
        raise NotSignedIn
    return Owner(user, session, client=context.client, device=context.device, language=context.language)


def _refusal(context: RequestContext, error: DomainError) -> AccountPayload:
    return AccountPayload(user_errors=user_errors(error, context.language))
