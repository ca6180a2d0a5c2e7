"""Mutations by which customers change their own accounts."""

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
from gateway.viewer.types import AccountPayload, User


@strawberry.type
class AccountMutation:
    @strawberry.mutation(
        description="Changes one's own account, all or nothing; what is null stays. newPassword needs password and ends"
        " every other session. Accounts of staff are changed in the admin."
    )
    async def account_update(
        self,
        info: Info[RequestContext, None],
        name: Annotated[str | None, strawberry.argument(description="How to call the customer.")] = strawberry.UNSET,
        phone: Annotated[
            str | None, strawberry.argument(description="In any spelling, e.g. +7 912 345-67-89.")
        ] = strawberry.UNSET,
        new_password: Annotated[
            str | None, strawberry.argument(description="Not one that is easily guessed: WEAK_PASSWORD says why.")
        ] = strawberry.UNSET,
        password: Annotated[str | None, strawberry.argument(description="The password until now.")] = strawberry.UNSET,
    ) -> AccountPayload:
        wanted = Profile(given(name), given(phone), given(new_password))
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


async def _owner(context: RequestContext) -> Owner:
    """Whoever is signed in. Raises NotSignedIn."""
    user, session = await context.user(), await context.session()
    if not isinstance(user, Account) or session is None:
        raise NotSignedIn
    return Owner(user, session, client=context.client, device=context.device)


def _refusal(context: RequestContext, error: DomainError) -> AccountPayload:
    return AccountPayload(user_errors=user_errors(error, context.language))
