"""Prices and withdrawal edited in the list: one form, of which only touched rows are written, each by itself."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import Any, NamedTuple, cast

from django import forms
from django.http import QueryDict
from unfold.widgets import UnfoldAdminSelectWidget

from catalog.changes.batch import Outcome, Wanted, change_products
from catalog.changes.values import money_value, values_of
from catalog.documents import ProductDocument
from catalog.errors import UnknownProduct
from catalog.products.cards import ProductKey, keys_now
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import run
from gateway.staff.language import said, staff_language
from gateway.staff.money import AsksOfJumps, MoneyField, MoneyInput, money_text

ROW = "row"
EDITED = ("base_price", "sale_price", "withdrawn")
MAX_ROWS = 200
_PERCENT = re.compile(r"[-−–]?\s*(\d{1,2})(?:[.,](\d))?\s*%")

STATES = {"": Text("в продаже", "for sale"), "withdrawn": Text("снят", "withdrawn")}
NAMES = {
    "base_price": Text("Цена", "Price"),
    "sale_price": Text("Со скидкой", "Sale price"),
    "withdrawn": Text("Состояние", "State"),
}
NO_SALE = Text("без скидки", "no discount")
OVERTAKEN = Text(
    "{name}: вы видели «{seen}», сейчас «{now}», ваше — «{mine}». Сохраните ещё раз, если нужно ваше.",
    '{name}: you saw "{seen}", it is "{now}" now, yours is "{mine}". Save once more if yours is right.',
)


class Row(AsksOfJumps, forms.Form):
    """One product in the list."""

    base_price = MoneyField(asks_of_jump=True, widget=MoneyInput({"size": 10}))
    sale_price = MoneyField(required=False, asks_of_jump=True, widget=MoneyInput({"size": 10}))
    state = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    seen = forms.CharField(widget=forms.HiddenInput, max_length=500)
    """What stood in the row when the page was made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["state"].choices = [(value, said(text)) for value, text in STATES.items()]  # type: ignore[attr-defined]
        for name, field in self.fields.items():
            if name in NAMES:
                field.widget.attrs["aria-label"] = said(NAMES[name])
        self.fields["state"].widget.attrs["aria-label"] = said(NAMES["withdrawn"])

    def clean_seen(self) -> dict[str, Any]:
        try:
            seen = json.loads(self.cleaned_data["seen"])
            return {name: seen[name] for name in EDITED}
        except (ValueError, TypeError, KeyError) as error:
            raise forms.ValidationError("seen") from error

    @property
    def wanted(self) -> dict[str, Any]:
        """The values that were touched, if the row is valid."""
        given = self.cleaned_data
        typed = {
            "base_price": money_value(given["base_price"]),
            "sale_price": money_value(given["sale_price"]),
            "withdrawn": given["state"] == "withdrawn",
        }
        return {name: value for name, value in typed.items() if value != given["seen"][name]}


class Saved(NamedTuple):
    """What became of the form."""

    changed: int
    refused: dict[str, Row]
    """The rows that were not written, by product, with what was typed and why."""


def row_of(document: ProductDocument) -> Row:
    """The row as it is shown at first."""
    return Row(prefix=document["_id"], initial=_initial(document))


def save(posted: QueryDict, actor: Actor) -> Saved:
    """Write the touched rows, category by category; those that are refused hold up no others."""
    rows = {id_: _posted_row(posted, id_) for id_ in posted.getlist(ROW)[:MAX_ROWS] if _is_touched(posted, id_)}
    refused = {id_: row for id_, row in rows.items() if not row.is_valid()}
    wanted = {id_: row.wanted for id_, row in rows.items() if id_ not in refused and row.wanted}
    seen = {id_: rows[id_].cleaned_data["seen"] for id_ in wanted}
    keys = run(keys_now(sorted(wanted), STAFF_LIST)) if wanted else []
    changed = 0
    for outcome in _change(keys, wanted, seen, actor):
        row = rows[outcome.key.id]
        if outcome.conflicts or outcome.refusals:
            refused[outcome.key.id] = _refused(row, outcome)
        changed += bool(outcome.changes)
    for gone in wanted.keys() - {key.id for key in keys}:
        refused[gone] = _refused(rows[gone], Outcome(ProductKey("", gone), refusals=(UnknownProduct(),)))
    return Saved(changed, refused)


def _change(
    keys: Iterable[ProductKey], wanted: Mapping[str, Any], seen: Mapping[str, Any], actor: Actor
) -> Iterable[Outcome]:
    by_category: dict[str, list[ProductKey]] = defaultdict(list)
    for key in sorted(keys):
        by_category[key.category].append(key)
    for batch in by_category.values():
        yield from change_products(batch, partial(_decided, wanted, seen), actor=actor)


def _decided(wanted: Mapping[str, Any], seen: Mapping[str, Any], document: ProductDocument) -> Wanted:
    """All of the row or nothing. What is as it is wanted already was done before: the form came twice."""
    now, mine = values_of(document), wanted[document["_id"]]
    believed = {name: seen[document["_id"]][name] for name in mine if now[name] != mine[name]}
    overtaken = any(now[name] != value for name, value in believed.items())
    return Wanted(values={} if overtaken else mine, seen=believed)


def _refused(row: Row, outcome: Outcome) -> Row:
    """The row with the reasons. Sent again as it is, it replaces what it was overtaken by."""
    data = cast("QueryDict", row.data).copy()
    seen = dict(row.cleaned_data["seen"])
    for name, (_, now) in outcome.conflicts.items():
        seen[name] = now
    data[row.add_prefix("seen")] = json.dumps(seen)
    again = Row(data, prefix=row.prefix, initial=row.initial)
    again.is_valid()
    for name, (before, now) in outcome.conflicts.items():
        texts = {"seen": _text(name, before), "now": _text(name, now), "mine": _text(name, row.wanted[name])}
        again.add_error(None, said(OVERTAKEN, name=said(NAMES[name]), **texts))
    for reason in outcome.refusals:
        again.add_error(_field_of(reason), reason.message(staff_language()))
    return again


def _field_of(reason: DomainError) -> str | None:
    return str(reason.path[0]) if reason.path and reason.path[0] in Row.base_fields else None


def _posted_row(posted: QueryDict, id_: str) -> Row:
    """The row as it was sent; a percentage has become the price that it makes."""
    data = posted.copy()
    sale = f"{id_}-sale_price"
    if percent := _PERCENT.fullmatch(posted.get(sale, "").strip()):
        try:
            base = MoneyField().clean(posted.get(f"{id_}-base_price", ""))
        except forms.ValidationError:
            base = None
        if base:
            part = Decimal(f"{percent[1]}.{percent[2] or 0}") / 100
            data[sale] = str((base * (1 - part)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return Row(data, prefix=id_, initial=_seen_prices(posted.get(f"{id_}-seen", "")))


def _is_touched(posted: QueryDict, id_: str) -> bool:
    """Whether the row says anything else than it did; what it said stands beside each field."""
    try:
        seen = json.loads(posted.get(f"{id_}-seen", ""))
        before = {
            "base_price": _typed(seen["base_price"]),
            "sale_price": _typed(seen["sale_price"]),
            "state": "withdrawn" if seen["withdrawn"] else "",
        }
    except (ValueError, TypeError, KeyError):
        return True
    return any(posted.get(f"{id_}-{name}", value).strip() != value for name, value in before.items())


def _seen_prices(text: str) -> dict[str, Any]:
    """What a jump is measured from: the prices that were seen."""
    try:
        seen = json.loads(text)
        return {name: Decimal(seen[name]) for name in ("base_price", "sale_price") if seen[name] is not None}
    except (ValueError, TypeError, KeyError, ArithmeticError):
        return {}


def _initial(document: ProductDocument) -> dict[str, Any]:
    values = values_of(document)
    seen = {name: values[name] for name in EDITED}
    return {
        **_seen_prices(json.dumps(seen)),
        "state": "withdrawn" if values["withdrawn"] else "",
        "seen": json.dumps(seen),
    }


def _typed(amount: str | None) -> str:
    """The amount as its field shows it."""
    return "" if amount is None else str(MoneyField().prepare_value(Decimal(amount)))


def _text(name: str, value: Any) -> str:
    if name == "withdrawn":
        return said(STATES["withdrawn" if value else ""])
    return said(NO_SALE) if value is None else money_text(Decimal(value))
