"""Carriers whose parcels can be followed on a page of theirs."""

from typing import NamedTuple
from urllib.parse import quote


class Carrier(NamedTuple):
    name: str
    """As buyers and staff read it."""
    spellings: tuple[str, ...]
    """What staff type for it, in small letters."""
    page: str
    """Where a parcel is followed; `{number}` stands for its number."""


CARRIERS = (
    Carrier("СДЭК", ("сдэк", "cdek"), "https://www.cdek.ru/ru/tracking/?order_id={number}"),
    Carrier(
        "Почта России", ("почта россии", "почта", "russian post"), "https://www.pochta.ru/tracking?barcode={number}"
    ),
    Carrier("Boxberry", ("boxberry", "боксберри"), "https://boxberry.ru/tracking-page?id={number}"),
    Carrier("DPD", ("dpd", "дпд"), "https://www.dpd.ru/ols/trace2/standard.do2?method:search&orderNum={number}"),
    Carrier("Деловые Линии", ("деловые линии", "dellin"), "https://www.dellin.ru/tracker/?mode=search&rwID={number}"),
    Carrier("ПЭК", ("пэк", "pecom"), "https://pecom.ru/services-are/order-status/?code={number}"),
    Carrier("5Post", ("5post", "пятёрочка", "5пост"), "https://fivepost.ru/tracking/?id={number}"),
)

_BY_SPELLING = {spelling: carrier for carrier in CARRIERS for spelling in carrier.spellings}


def carrier_named(text: str) -> Carrier | None:
    """The carrier that somebody means by this; None: one that we know nothing of."""
    return _BY_SPELLING.get(text.casefold())


def page_of(carrier: Carrier, number: str) -> str:
    """Where this parcel is followed."""
    return carrier.page.format(number=quote(number, safe=""))
