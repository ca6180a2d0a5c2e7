"""Mutations that sign in and out: call the action, tell the context who asks from now on, translate refusals."""

from collections.abc import Callable
from functools import partial

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
from gateway.graphql.user_errors import MutationWarning, WarningCode, user_errors
from gateway.graphql.writes import run_beside, run_write
from gateway.viewer.sign_in import Visit, enter, make_account, recognise
from gateway.viewer.types import SessionPayload, Viewer

CartMergeMode = strawberry.enum(
    MergeMode, name="CartMergeMode", description="Same product in both: MERGE keeps the larger quantity."
)

LINE_DROPPED = Text("«{name}» не поместилось в корзину.", '"{name}" did not fit into the cart.')


@strawberry.type
class ViewerMutation:
    @strawberry.mutation(
        description="Makes an account and signs in; the guest's cart and orders become the customer's."
    )
    async def register(
        self, info: Info[RequestContext, None], email: str, password: str, name: str = "", phone: str = ""
    ) -> SessionPayload:
        made = partial(make_account, email=email, password=password, name=name, phone=phone)
        return await _sign_in(info.context, made, MergeMode.MERGE)

    @strawberry.mutation(description="Likewise for an account that exists.")
    async def login(
        self,
        info: Info[RequestContext, None],
        email: str,
        password: str,
        cart_merge: CartMergeMode = MergeMode.MERGE,  # type: ignore[valid-type]
    ) -> SessionPayload:
        return await _sign_in(info.context, partial(recognise, email=email, password=password), cart_merge)

    @strawberry.mutation
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


async def _sign_in(context: RequestContext, who: Callable[[Visit], Account], mode: MergeMode) -> SessionPayload:
    visit = Visit(
        client=context.client,
        device=context.device,
        session=await context.session(),
        owner=await context.owner(),
        new_session=context.new_session(),
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
