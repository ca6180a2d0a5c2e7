"""Descriptions: an opening, what the kind says of itself, sometimes a closing; 2 to 5 sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from catalog.demo.kinds import Kind, agree

OPENINGS = (
    "{brand} {model} — удачн[ый|ая|ое|ые] {noun} для тех, кто ценит разумную цену.",
    "{brand} {model} создан[|а|о|ы] для повседневных задач и не подвед[ёт|ёт|ёт|ут] в нужный момент.",
    "Знаком[ый|ая|ое|ые] многим {noun} {brand} {model} вернул[ся|ась|ось|ись] в обновлённом исполнении.",
    "Продуманн[ый|ая|ое|ые] до мелочей {noun} от {brand}.",
    "Если нуж[ен|на|но|ны] надёжн[ый|ая|ое|ые] {noun}, обратите внимание на {brand} {model}.",
    "{brand} {model} хорош[|а|о|и] и дома, и в офисе.",
    "Перед вами {noun} {brand} {model}: ничего лишнего, всё нужное на месте.",
    "Нов[ый|ая|ое|ые] {noun} {brand} {model} заметно удобнее предшественников.",
    "В линейке {brand} модель {model} занимает место золотой середины.",
    "[Этот|Эта|Это|Эти] {noun} стан[ет|ет|ет|ут] хорошим подарком и полезной покупкой для себя.",
)

CLOSINGS = (
    "Официальная гарантия — {Гарантия}.",
    "Гарантия производителя: {Гарантия}.",
    "Закажите с доставкой или заберите в пункте выдачи уже сегодня.",
    "Проверить товар можно при получении.",
    "В комплекте есть инструкция на русском языке.",
    "Подходящие аксессуары вы найдёте в соседнем разделе.",
    "Вернуть покупку можно в течение четырнадцати дней.",
    "Поставляется в заводской упаковке.",
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences of one kind, already agreeing with its noun."""

    openings: tuple[str, ...]
    middles: tuple[str, ...]


def phrases_of(kind: Kind) -> Phrases:
    # Inside a sentence «Смартфон» begins small, «SSD-накопитель», «МФУ» and «Wi-Fi роутер» do not.
    abbreviated = kind.noun[1].isupper() or kind.noun[0].isascii()
    noun = kind.noun if abbreviated else kind.noun[0].lower() + kind.noun[1:]
    openings = tuple(agree(opening, kind.gender).replace("{noun}", noun) for opening in OPENINGS)
    return Phrases(openings, kind.sentences)


def describe(phrases: Phrases, words: Mapping[str, str], rng: Random) -> str:
    """A description of 2 to 5 sentences; `words` are the attributes, and brand and model."""
    opening = rng.choice(phrases.openings)
    middles = rng.sample(phrases.middles, rng.choice((1, 1, 2, 2, 2, 3)))
    closing = [rng.choice(CLOSINGS)] if rng.random() < 0.5 else []
    return " ".join([opening, *middles, *closing]).format_map(words)
