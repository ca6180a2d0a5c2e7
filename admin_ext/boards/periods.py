"""Which days a person looks at, and of which geozone."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.http import urlencode
from django.utils.timezone import get_default_timezone
from unfold.widgets import UnfoldAdminSelectWidget

from admin_ext.boards.parts import Link
from catalog.structure.names import GEOZONE_NAMES
from gateway.audit.filters import DateInput
from gateway.domain.texts import Text
from gateway.staff.language import said

PRESETS = (7, 30, 90)
DEFAULT = 30
# Of longer ones a chart shows nothing more; a day more is a thousand sums more to be read.
MAX_DAYS = 92
# Before it there was no shop; and near the first day of all, no zone has a midnight any more.
EARLIEST = date(2000, 1, 1)

SINCE, UNTIL, GEOZONE = Text("С", "From"), Text("По", "To"), Text("Геозона", "Geozone")
ALL = Text("все", "all")
LAST_DAYS = Text("{days} дней", "{days} days")
BACKWARDS = Text("Конец раньше начала.", "The end is before the beginning.")
TOO_LONG = Text("Период — не больше {days} дней.", "A period is at most {days} days.")
TOO_EARLY = Text("Тогда магазина ещё не было.", "There was no shop then.")
IN_FUTURE = Text("Эти дни ещё не наступили.", "These days are still to come.")


class PeriodForm(forms.Form):
    """Days, both included. Empty fields mean the last ones."""

    since = forms.DateField(required=False, widget=DateInput)
    until = forms.DateField(required=False, widget=DateInput)
    geozone = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)

    def __init__(self, asked: Mapping[str, str], *, today: date) -> None:
        self._today = today
        given = dict(asked)
        if not given.get("since") and not given.get("until"):
            first, last = last_days(today, DEFAULT)
            given |= {"since": first.isoformat(), "until": last.isoformat()}
        super().__init__(given)
        for field, label in zip(self.fields.values(), (SINCE, UNTIL, GEOZONE), strict=True):
            field.label = said(label)
        self.fields["geozone"].choices = [("", said(ALL)), *GEOZONE_NAMES.get().items()]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if self.errors:
            return given
        last: date = given["until"] or self._today
        if min(last, given["since"] or last) < EARLIEST:
            self.add_error("since", said(TOO_EARLY))
            return given
        first: date = given["since"] or last - timedelta(days=DEFAULT - 1)
        if first > last:
            self.add_error("until", said(BACKWARDS))
        elif first > self._today:
            self.add_error("since", said(IN_FUTURE))
        elif (last - first).days >= MAX_DAYS:
            self.add_error("until", said(TOO_LONG, days=MAX_DAYS))
        return {**given, "since": first, "until": min(last, self._today)}

    def presets(self) -> list[Link]:
        """The usual periods, by the geozone that is chosen."""
        geozone = self.data.get("geozone", "")
        return [
            Link(said(LAST_DAYS, days=days), address(*last_days(self._today, days), geozone), self._is(days))
            for days in PRESETS
        ]

    def _is(self, days: int) -> bool:
        first, last = last_days(self._today, days)
        return (self.data.get("since"), self.data.get("until")) == (first.isoformat(), last.isoformat())


def last_days(today: date, days: int) -> tuple[date, date]:
    return today - timedelta(days=days - 1), today


def address(since: date, until: date, geozone: str | None = "", page: str = "") -> str:
    """The page of this period: of a board, or of a list that has the same filters."""
    query = {"geozone": geozone or "", "since": since.isoformat(), "until": until.isoformat()}
    return f"{page}?{urlencode({name: value for name, value in query.items() if value})}"


def shop_day(moment: datetime) -> date:
    """The day of the shop on which it is this moment."""
    return moment.astimezone(get_default_timezone()).date()


def begin(day: date, clock: time = time.min) -> datetime:
    """The moment at which it is so late on a day of the shop."""
    return datetime.combine(day, clock, get_default_timezone()).astimezone(UTC)
