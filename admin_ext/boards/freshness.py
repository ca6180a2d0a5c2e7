"""How old the sums of the sales are, in words."""

from datetime import datetime, timedelta

from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.times import time_text
from ordering.sales.figures import Freshness

# Three runs of the task that sums.
LATE = timedelta(minutes=15)

AS_OF = Text("Сложено на {time}", "As of {time}")
AWAY = Text(
    "Cassandra не отвечает (последняя попытка — {tried}). Показано то, что сложено до {time}.",
    "Cassandra does not answer (last tried {tried}). This is what was summed until {time}.",
)
BEHIND = Text(
    "Цифры отстают: сложено только до {time}. Если через полчаса не изменится, скажите оператору.",
    "The figures are behind: summed until {time} only. If that stays so for half an hour, tell an operator.",
)
NOT_YET = Text(
    "Продажи ещё не сложены. Это делается каждые пять минут: загляните немного позже. "
    "Если через полчаса здесь по-прежнему пусто, скажите оператору.",
    "The sales are not summed yet. That is done every five minutes: look again a little later. "
    "If nothing is here in half an hour, tell an operator.",
)
NOT_YET_AWAY = Text(
    "Продажи ещё не сложены: Cassandra не отвечает (последняя попытка — {tried}). Скажите оператору.",
    "The sales are not summed yet: Cassandra does not answer (last tried {tried}). Tell an operator.",
)


def as_of(freshness: Freshness) -> str:
    return said(AS_OF, time=time_text(freshness.seen_until)) if freshness.seen_until else ""


def warnings(freshness: Freshness, now: datetime) -> list[str]:
    """What a reader must know before believing the figures."""
    seen = freshness.seen_until
    if seen is None:
        return []
    if freshness.is_behind and freshness.failed_at:
        return [said(AWAY, tried=time_text(freshness.failed_at), time=time_text(seen))]
    return [said(BEHIND, time=time_text(seen))] if now - seen > LATE else []


def not_yet(freshness: Freshness) -> str:
    return said(NOT_YET_AWAY, tried=time_text(freshness.failed_at)) if freshness.failed_at else said(NOT_YET)
