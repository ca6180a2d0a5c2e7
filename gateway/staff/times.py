"""Moments as staff read them: in the shop's time zone, which the text names."""

from datetime import UTC, datetime

from django.utils.timezone import get_default_timezone

from gateway.staff.language import staff_language

# What Russians call a zone for which the time zone database has a name in Latin letters.
_NAMES = {"MSK": "МСК"}
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


def _zone(local: datetime) -> str:
    """The short name of the zone; where it has none, its distance from UTC."""
    name = local.tzname() or ""
    if staff_language() == "ru":
        name = _NAMES.get(name, name)
    return name if name.isalpha() else f"UTC{name}"
