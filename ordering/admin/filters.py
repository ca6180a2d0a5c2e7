"""By what the list of orders is narrowed, and what that means for the reads."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast

from django.http import HttpRequest
from django.utils.timezone import get_default_timezone

from catalog.structure.geozones import all_geozones
from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.lists import Choice
from ordering.admin.words import STATUSES, lazily_said
from ordering.models import OrderStatus
from ordering.reading.listing import Narrowing
from ordering.reading.queues import ORDERS, QUEUES, queues_for


class ByQueue(Choice):
    title = lazily_said(Text("очередь", "queue"))
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        queues = queues_for(cast("User", request.user))
        return [(queue.code, said(queue.title)) for queue in queues if queue.collection == ORDERS]


class ByStatus(Choice):
    title = lazily_said(Text("статус", "status"))
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(status.value, said(text)) for status, (text, _) in STATUSES.items()]


class ByGeozone(Choice):
    title = lazily_said(Text("геозона", "geozone"))
    parameter_name = "geozone"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(zone.code, zone.name) for zone in run(all_geozones())]


class ByDay(Choice):
    """A day that the person types."""

    template = "ordering/admin/day_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        given = self.value()
        return [(given, given)] if given and begin_of(given) else []

    def has_output(self) -> bool:
        return True

    def choices(self, changelist: Any) -> Iterator[Any]:
        """One, which is no choice but what the field keeps: the other parameters of the page."""
        others = changelist.get_filters_params()
        yield {
            "value": self.value() or "",
            "query": changelist.query,
            "others": [
                (name, value) for name, values in others.items() if name != self.parameter_name for value in values
            ],
        }


class Since(ByDay):
    title = lazily_said(Text("день, с", "day, from"))
    parameter_name = "since"


class Until(ByDay):
    title = lazily_said(Text("день, по", "day, until"))
    parameter_name = "until"


FILTERS = (ByQueue, ByStatus, ByGeozone, Since, Until)


def narrowing_of(filters: Mapping[str, str]) -> Narrowing:
    """What the filters that are set leave to be seen; of values that there are not, everything."""
    status, queue = filters.get("status"), filters.get("queue")
    return Narrowing(
        status=next((each for each in OrderStatus if each.value == status), None),
        geozone=filters.get("geozone"),
        since=begin_of(filters.get("since", "")),
        until=begin_of(filters.get("until", ""), days=1),
        queue=next((each for each in QUEUES if each.code == queue), None),
    )


def begin_of(text: str, *, days: int = 0) -> datetime | None:
    """When a day of the shop begins, or one so many days later; None for what is no day."""
    try:
        day = date.fromisoformat(text) + timedelta(days=days)
        return datetime.combine(day, time.min, get_default_timezone()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
