"""Mutations that sign in and out: call the action, tell the context who asks from now on, translate refusals."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import strawberry
from strawberry.types import Info

from cart.merge import MergeMode
from gateway.accounts.models import User as Account
from gateway.accounts.sign_in.hashing import run_hashing
from gateway.accounts.sign_in.known_devices import device_proof
from gateway.accounts.sign_out import sign_out_everywhere
from gateway.domain.errors import DomainError, NotSignedIn
from gateway.domain.texts import Language, Text
from gateway.graphql.context import RequestContext
from gateway.graphql.enums import described_enum
from gateway.graphql.user_errors import MutationWarning, WarningCode, user_errors
from gateway.graphql.writes import run_beside, run_write
from gateway.viewer.sign_in import Visit, enter, make_account, recognise
from gateway.viewer.types import SessionPayload, Viewer

CartMergeMode = described_enum(
    MergeMode,
    "CartMergeMode",
    "Whose cart is kept when a guest with a cart signs in to an account with one.",
    {
        MergeMode.MERGE: "Both carts become one; of a product in both the larger quantity stays.",
        MergeMode.KEEP_CUSTOMER: "The account's own cart stays, and the guest's is dropped.",
        MergeMode.KEEP_GUEST: "The guest's cart replaces that of the account.",
    },
)

LINE_DROPPED = Text("«{name}» не поместилось в корзину.", '"{name}" did not fit into the cart.')


@strawberry.type
class ViewerMutation:
    @strawberry.mutation(
        description="Makes an account and signs in; the guest's cart and orders become the customer's."
    )
    async def register(
        self,
        info: Info[RequestContext, None],
        email: Annotated[
            str,
            strawberry.argument(
                description='The address to sign in with, e.g. "ivan@example.com"; its case does not matter.'
            ),
        ],
        password: Annotated[
            str,
            strawberry.argument(
                description="At least eight characters, none of the common ones. WEAK_PASSWORD says what is wrong."
            ),
        ],
        name: Annotated[str, strawberry.argument(description="What the shop calls the customer.")] = "",
        phone: Annotated[str, strawberry.argument(description="Telephone number, for the next checkout.")] = "",
    ) -> SessionPayload:
        made = partial(make_account, email=email, password=password, name=name, phone=phone)
        return await sign_in_as(info.context, made, MergeMode.MERGE)

    @strawberry.mutation(description="Signs in; the guest's cart and orders become the customer's.")
    async def login(
        self,
        info: Info[RequestContext, None],
        email: Annotated[
            str, strawberry.argument(description="The address that was registered; its case does not matter.")
        ],
        password: Annotated[
            str,
            strawberry.argument(
                description=(
                    "BAD_CREDENTIALS says only that address and password do not fit; after ten failures there is "
                    "a pause."
                )
            ),
        ],
        cart_merge: Annotated[
            MergeMode,
            strawberry.argument(description="What happens when both the guest and the account have a cart."),
        ] = MergeMode.MERGE,
    ) -> SessionPayload:
        return await sign_in_as(info.context, partial(recognise, email=email, password=password), cart_merge)

    @strawberry.mutation(description="Ends the session. The cart of an account stays with it; a guest's is lost.")
    async def logout(self, info: Info[RequestContext, None]) -> SessionPayload:
        session = await info.context.session()
        if session:
            await run_beside(session.flush)
        info.context.sign_out()
        return SessionPayload(viewer=Viewer(), user_errors=[], warnings=[])

    @strawberry.mutation(description="Ends every other session of the account.")
    async def logout_everywhere(self, info: Info[RequestContext, None]) -> SessionPayload:
        user, session = await info.context.user(), await info.context.session()
        try:
            if not isinstance(user, Account) or session is None:
                raise NotSignedIn
            await run_write(sign_out_everywhere, user, session)
            info.context.remember_device(device_proof(user, info.context.device))
        except DomainError as error:
            return SessionPayload(user_errors=user_errors(error, info.context.language), warnings=[])
        return SessionPayload(token=session.session_key, viewer=Viewer(), user_errors=[], warnings=[])


async def sign_in_as(context: RequestContext, who: Callable[[Visit], Account], mode: MergeMode) -> SessionPayload:
    """Sign in whomever `who` finds; it is called in the hashing pool, and may refuse."""
    visit = Visit(
        client=context.client,
        device=context.device,
        session=await context.session(),
        owner=await context.owner(),
        new_session=context.new_session(),
        language=context.language,
    )
    try:
        user = await run_hashing(who, visit)
        done = await run_write(enter, visit, user, mode)
    except DomainError as error:
        return SessionPayload(user_errors=user_errors(error, context.language), warnings=[])
    context.sign_in(done.user, done.session)
    context.remember_device(device_proof(done.user, context.device))
    return SessionPayload(
        token=done.session.session_key,
        viewer=Viewer(),
        user_errors=[],
        warnings=[_dropped(name, context.language) for name in done.lines_dropped],
    )


def _dropped(name: str, language: Language) -> MutationWarning:
    return MutationWarning(code=WarningCode.LINES_DROPPED, message=LINE_DROPPED.in_language(language, name=name))
