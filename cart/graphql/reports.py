"""The report on abandoned carts: authorise, read, translate."""

from datetime import date, datetime
from typing import Annotated

import strawberry
from strawberry.types import Info

from cart.reports import Day, LostProduct, abandoned_cart_report
from catalog.structure.geozones import all_geozones
from gateway.domain.texts import Text
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput, NotFound
from gateway.graphql.money import Money, rubles
from gateway.graphql.staff import authorise
from gateway.mongo.reads import run_async, run_steps_async

SEE = "cart.view_abandonedcartday"

# A leap year.
MAX_DAYS = 366

WRONG_ORDER = Text("Начало периода позже его конца.", "The period begins after its end.")
TOO_LONG = Text("Период — не больше {limit} дней.", "A period is at most {limit} days.")
UNKNOWN_GEOZONE = Text("Геозоны «{geozone}» нет.", 'There is no geozone "{geozone}".')
NOT_COMPUTED = Text(
    "Отчёт ещё не рассчитан. Фоновый процесс считает его каждые 10 минут; сразу — manage.py abandoned_carts.",
    "The report is not computed yet. A worker does so every 10 minutes; at once: manage.py abandoned_carts.",
)

First = Annotated[date, strawberry.argument(name="from", description="The first day, in UTC.")]
Last = Annotated[date, strawberry.argument(name="to", description="The last day, in UTC.")]


@strawberry.type(description="Carts that were begun on one day, and what became of them.")
class AbandonedCartDay:
    day: date = strawberry.field(description="The day, in UTC.")
    carts: int = strawberry.field(description="Carts with lines that were made on this day (UTC).")
    abandoned: int = strawberry.field(
        description="How many of them nobody has touched for hours and nobody has ordered."
    )
    rate: float = strawberry.field(description="abandoned / carts, 0..1")
    ordered: int = strawberry.field(description="How many of them became orders.")
    conversion: float = strawberry.field(description="ordered / carts, 0..1")
    lost_value: Money = strawberry.field(description="Of the abandoned ones, at the prices the buyers saw.")


@strawberry.type(description="A product that was left behind in carts.")
class AbandonedProduct:
    product_id: str = strawberry.field(
        description='The id in the shop\'s product information system, e.g. "PROD-12345".'
    )
    name: str = strawberry.field(description="What it was called when it was last put in a cart.")
    carts: int = strawberry.field(description="In how many abandoned carts of the period it lies.")
    quantity: int = strawberry.field(description="How many pieces lie in them together.")
    lost_value: Money = strawberry.field(description="Those pieces at the prices that the buyers saw.")


@strawberry.type(
    description=("How many carts were left behind, and with what in them. Counted by a worker every ten minutes.")
)
class AbandonedCartReport:
    days: list[AbandonedCartDay] = strawberry.field(description="Every day of the period, in order.")
    top_products: list[AbandonedProduct] = strawberry.field(description="The 20 with the largest lost value.")
    computed_at: datetime = strawberry.field(description="When it was computed.")


@strawberry.type
class CartReportQuery:
    @strawberry.field(description="Staff. Of one geozone, or of all carts; at most 366 days.")
    async def abandoned_cart_report(
        self,
        info: Info[RequestContext, None],
        first: First,
        last: Last,
        geozone: Annotated[
            str | None, strawberry.argument(description="Code of one geozone; left out, all carts.")
        ] = None,
    ) -> AbandonedCartReport:
        await authorise(info.context, SEE)
        await _check(first, last, geozone)
        report = await run_steps_async(abandoned_cart_report(first, last, geozone))
        if report is None:
            raise NotFound(NOT_COMPUTED)
        return AbandonedCartReport(
            days=[_day(day) for day in report.days],
            top_products=[_product(product) for product in report.products],
            computed_at=report.computed_at,
        )


async def _check(first: date, last: date, geozone: str | None) -> None:
    if first > last:
        raise BadInput(WRONG_ORDER)
    if (last - first).days >= MAX_DAYS:
        raise BadInput(TOO_LONG, limit=MAX_DAYS)
    if geozone is not None and geozone not in {zone.code for zone in await run_async(all_geozones())}:
        raise BadInput(UNKNOWN_GEOZONE, geozone=geozone)


def _day(day: Day) -> AbandonedCartDay:
    return AbandonedCartDay(
        day=day.day,
        carts=day.carts,
        abandoned=day.abandoned,
        rate=day.abandoned / day.carts if day.carts else 0.0,
        ordered=day.ordered,
        conversion=day.ordered / day.carts if day.carts else 0.0,
        lost_value=rubles(day.lost_value),
    )


def _product(product: LostProduct) -> AbandonedProduct:
    return AbandonedProduct(
        product_id=product.product_id,
        name=product.name,
        carts=product.carts,
        quantity=product.quantity,
        lost_value=rubles(product.lost_value),
    )
