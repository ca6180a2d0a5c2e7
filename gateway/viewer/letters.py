"""Mutations around letters: asking for a link to a new password, and what the links of letters do."""

from functools import partial
from typing import Annotated

import strawberry
from strawberry.types import Info

from cart.merge import MergeMode
from gateway.accounts.models import User as Account
from gateway.accounts.own.confirmation import confirm_email
from gateway.accounts.own.recovery import request_password, reset_password
from gateway.domain.errors import DomainError
from gateway.graphql.context import RequestContext
from gateway.graphql.user_errors import RequestPayload, user_errors
from gateway.graphql.writes import run_write
from gateway.viewer.joining import join_orders
from gateway.viewer.mutations import sign_in_as
from gateway.viewer.sign_in import Visit
from gateway.viewer.types import AccountPayload, SessionPayload, User

TOKEN = "From the link of the letter: `token` in its query."  # noqa: S105 - a description


@strawberry.type
class LetterMutation:
    @strawberry.mutation(
        description="Sends a letter with a link by which the customer chooses a new password, for an hour and once. The"
        " answer is the same whether the address has an account or not."
    )
    async def password_reset_request(
        self,
        info: Info[RequestContext, None],
        email: Annotated[str, strawberry.argument(description="The address of the account, e.g. ivan@example.com.")],
    ) -> RequestPayload:
        context = info.context
        try:
            await run_write(partial(request_password, email, client=context.client, language=context.language))
        except DomainError as error:
            return RequestPayload(ok=False, user_errors=user_errors(error, context.language))
        return RequestPayload(ok=True, user_errors=[])

    @strawberry.mutation(
        description="Sets a new password by the link of a letter, and signs in; every other session ends. Whoever has"
        " the letter has the mailbox, so the address counts as confirmed. NOT_FOUND: the link does not work any more."
    )
    async def password_reset(
        self,
        info: Info[RequestContext, None],
        token: Annotated[str, strawberry.argument(description=TOKEN)],
        password: Annotated[
            str, strawberry.argument(description="Not one that is easily guessed: WEAK_PASSWORD says why.")
        ],
    ) -> SessionPayload:
        return await sign_in_as(
            info.context, partial(_choose_password, token=token, password=password), MergeMode.MERGE
        )

    @strawberry.mutation(
        description="Confirms the address that a letter went to, by its link: a new address takes effect, and orders of"
        " guests under it join the account. Needs no session; NOT_FOUND: the link does not work any more."
    )
    async def email_confirm(
        self, info: Info[RequestContext, None], token: Annotated[str, strawberry.argument(description=TOKEN)]
    ) -> AccountPayload:
        context = info.context
        try:
            confirmed = await run_write(_confirm, token)
        except DomainError as error:
            return AccountPayload(user_errors=user_errors(error, context.language))
        viewer, session = await context.user(), await context.session()
        # A link in a letter shows an account to nobody: whoever follows it need not be signed in to it.
        if not isinstance(viewer, Account) or session is None or viewer.pk != confirmed.pk:
            return AccountPayload(user_errors=[])
        context.account_changed(confirmed, session)
        return AccountPayload(user=User(account=confirmed), user_errors=[])


def _choose_password(visit: Visit, token: str, password: str) -> Account:
    # Before the link is used up: whoever may begin no session is told so, and keeps it.
    visit.new_session.admit()
    return reset_password(token, password)


def _confirm(token: str) -> Account:
    user = confirm_email(token)
    join_orders(user)
    return user
