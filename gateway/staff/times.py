"""Moments as staff read and type them: in the shop's time zone, which the text names."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils.timezone import get_default_timezone, localtime, make_aware
from unfold.widgets import INPUT_CLASSES

from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language

# What Russians call a zone for which the time zone database has a name in Latin letters.
_NAMES = {"MSK": "МСК"}
NO_MOMENT = Text("Укажите день и время.", "Give a day and a time.")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905 - shorter than twelve quotes


def time_text(moment: datetime, *, seconds: bool = False) -> str:
    """The moment in the shop's zone: «18.11.2026 15:30 МСК»; one without a zone, as documents have them, is UTC."""
    local = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(get_default_timezone())
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    if staff_language() == "en":
        return f"{local.day} {_MONTHS[local.month - 1]} {local.year}, {clock} {_zone(local)}"
    return f"{local:%d.%m.%Y} {clock} {_zone(local)}"


def zone_text() -> str:
    """The shop's zone as people call it: «МСК»."""
    return _zone(datetime.now(get_default_timezone()))


class MomentInput(forms.DateTimeInput):
    """The browser's own field for a day and a time."""

    input_type = "datetime-local"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"class": " ".join(INPUT_CLASSES), **(attrs or {})}, format="%Y-%m-%dT%H:%M")


class MomentField(forms.Field):
    """A moment typed in the shop's zone."""

    widget = MomentInput

    def to_python(self, value: Any) -> datetime | None:
        if value in (None, "") or isinstance(value, datetime):
            return value or None
        try:
            # Further years have no equal in UTC.
            return make_aware(datetime.fromisoformat(str(value)), get_default_timezone()).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise forms.ValidationError(said(NO_MOMENT)) from error

    def prepare_value(self, value: Any) -> Any:
        """A moment as it would be typed; what was typed stays as it is."""
        return localtime(value, get_default_timezone()) if isinstance(value, datetime) else value


def _zone(local: datetime) -> str:
    """The short name of the zone; where it has none, its distance from UTC."""
    name = local.tzname() or ""
    if staff_language() == "ru":
        name = _NAMES.get(name, name)
    return name if name.isalpha() else f"UTC{name}"
