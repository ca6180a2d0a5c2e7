"""Two people edit one object: what does not collide is merged, and where it does the second one sees both and chooses.

A form remembers what stood in it when it was opened (`seen`). When it comes back, three states meet, value by value:
seen, theirs (what is stored now) and mine (what was typed). Untouched by me, theirs stays; untouched by them, mine is
written; changed by both, and differently, it is a clash, and nothing is written until a person has chosen.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import ActionForm
from gateway.staff.language import staff_language

Values = Mapping[str, Any]
"""Name → value, as JSON can hold it; None for what is not there."""

# Whoever is overtaken so often by others meets an import, and may as well be told.
ATTEMPTS = 5
CHOICE = "choice."
SHORT = 80

CHANGED_BY_OTHERS = Text(
    "{label}: пока вы правили, это изменил кто-то другой: было «{seen}», стало «{theirs}». Что оставить?",
    '{label}: somebody else changed this meanwhile: it was "{seen}", now it is "{theirs}". Which one stays?',
)
MINE = Text("моё: {value}", "mine: {value}")
THEIRS = Text("чужое: {value}", "theirs: {value}")
KEPT = Text("Сохранено вместе с чужой правкой: {labels}.", "Saved together with somebody else's change: {labels}.")
NOTHING = Text("пусто", "nothing")
YES, NO = Text("да", "yes"), Text("нет", "no")


class Clash(NamedTuple):
    """A value that both have changed, each in another way."""

    name: str
    seen: Any
    theirs: Any
    mine: Any


class Merged(NamedTuple):
    values: dict[str, Any]
    """The merged state; where there is a clash, mine."""
    clashes: tuple[Clash, ...]
    kept: tuple[str, ...]
    """Names of what others have changed and I have not."""


def merge(seen: Values, theirs: Values, mine: Values) -> Merged:
    """The three-way merge of all that any of the states names, in the order of mine, then of theirs."""
    values: dict[str, Any] = {}
    clashes: list[Clash] = []
    kept: list[str] = []
    for name in dict.fromkeys((*mine, *theirs, *seen)):
        was, now, wanted = seen.get(name), theirs.get(name), mine.get(name)
        values[name] = now if wanted == was else wanted
        if was != now != wanted:
            if wanted == was:
                kept.append(name)
            else:
                clashes.append(Clash(name, was, now, wanted))
    return Merged(values, tuple(clashes), tuple(kept))


class _Stale(NamedTuple):
    """A form that others have overtaken, as it is shown again."""

    theirs: Values
    values: Values
    clashed: list[str]


class Clashed(DomainError):
    """Both have changed the same, and nobody has chosen."""

    code = Code.CONFLICT
    text = Text("Выберите, чья правка останется.", "Choose whose change stays.")

    def __init__(self, clashes: Sequence[Clash]) -> None:
        super().__init__()
        self.clashes = clashes


class MergingForm(ActionForm):
    """The form of something that several people edit. A subclass says what its values are and writes them."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    """The values that stood in the form when it was opened."""
    clashed = forms.CharField(widget=forms.HiddenInput, required=False)
    """Names of the clashes that the person was shown."""

    overtaken_by: ClassVar[tuple[type[DomainError], ...]] = ()
    """What the action says when others were faster: it is merged anew."""

    _stale: "_Stale | None" = None

    def stored_values(self) -> Values:
        """What is stored now, as values. Raises DomainError when it is gone."""
        raise NotImplementedError

    def typed_values(self) -> Values:
        """What was typed, as values."""
        raise NotImplementedError

    def write(self, values: Values) -> None:
        """Write the values, if what `stored_values` gave last is still there."""
        raise NotImplementedError

    def texts_of(self, values: Values) -> Mapping[str, Any]:
        """The values as the form's fields show them, most as texts; an empty checkbox has none."""
        raise NotImplementedError

    def field_of_value(self, name: str) -> str:
        return name

    def label_of_value(self, name: str) -> str:
        return str(self.fields[self.field_of_value(name)].label)

    def text_of_value(self, name: str, value: Any) -> str:
        return str(value)

    def seen_values(self) -> Values:
        """What stood in the form; with nonsense in the hidden field nothing did, and every difference is a clash."""
        return _object(self.data.get("seen", ""))

    def merge_and_write(self) -> None:
        """Merge what was typed with what is stored, and write it; raises Clashed where a person has to choose."""
        for attempt in range(ATTEMPTS):
            theirs, chosen = self.stored_values(), self._chosen()
            merged = merge(self.seen_values(), theirs, chosen)
            clashes = [*merged.clashes, *self._undecided(merged)]
            if clashes or theirs != self.seen_values():
                self._stale = _Stale(theirs, merged.values, [clash.name for clash in clashes])
            if clashes:
                raise Clashed(clashes)
            if all(theirs.get(name) == value for name, value in merged.values.items()):
                self.instance.is_unchanged = True
                return
            try:
                self.write(merged.values)
            except DomainError as refusal:
                if attempt < ATTEMPTS - 1 and any(isinstance(reason, self.overtaken_by) for reason in refusal):
                    continue
                raise
            if merged.kept:
                labels = ", ".join(dict.fromkeys(self.label_of_value(name) for name in merged.kept))
                self.notices.append(KEPT.in_language(staff_language(), labels=labels))
            return

    def reasons(self, refusal: DomainError) -> list[tuple[str | None, str]]:
        if isinstance(refusal, Clashed):
            return [(self.field_of_value(clash.name), self._asked(clash)) for clash in refusal.clashes]
        return super().reasons(refusal)

    def retyped(self) -> Mapping[str, Any] | None:
        """The form as it is shown again: theirs where I changed nothing, so that it is not changed back."""
        if self._stale is None:
            return None
        theirs, values, clashed = self._stale
        hidden = {"seen": seen_text(theirs), "clashed": json.dumps(clashed, ensure_ascii=False)}
        return {**self.texts_of(values), **hidden}

    def _chosen(self) -> Values:
        """What was typed, with theirs wherever the person chose it."""
        seen = self.seen_values()
        return {
            name: seen.get(name) if self.data.get(f"{CHOICE}{name}") == "theirs" else value
            for name, value in {**dict.fromkeys(self._clashed_names()), **self.typed_values()}.items()
        }

    def _undecided(self, merged: Merged) -> list[Clash]:
        """Clashes that were shown before and about which nothing was said."""
        again = {clash.name for clash in merged.clashes}
        seen, mine = self.seen_values(), self.typed_values()
        return [
            Clash(name, seen.get(name), seen.get(name), mine.get(name))
            for name in self._clashed_names()
            if name not in again and f"{CHOICE}{name}" not in self.data and mine.get(name) != seen.get(name)
        ]

    def _clashed_names(self) -> list[str]:
        try:
            names = json.loads(self.data.get("clashed", "") or "[]")
        except ValueError:
            return []
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def _asked(self, clash: Clash) -> SafeString:
        """The question about a clash, with its two answers to tick."""
        language = staff_language()
        seen, theirs, mine = (self._shown(clash.name, value) for value in clash[1:])
        return format_html(
            '{} <label class="block mt-1"><input type="radio" name="{name}" value="mine"> {}</label>'
            '<label class="block mt-1"><input type="radio" name="{name}" value="theirs"> {}</label>',
            CHANGED_BY_OTHERS.in_language(language, label=self.label_of_value(clash.name), seen=seen, theirs=theirs),
            MINE.in_language(language, value=mine),
            THEIRS.in_language(language, value=theirs),
            name=f"{CHOICE}{clash.name}",
        )

    def _shown(self, name: str, value: Any) -> str:
        language = staff_language()
        match value:
            case None | "":
                return NOTHING.in_language(language)
            case bool():
                return (YES if value else NO).in_language(language)
        text = self.text_of_value(name, value)
        return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def seen_text(values: Values) -> str:
    """The values for the form's hidden field."""
    return json.dumps(values, ensure_ascii=False)


def _object(text: str) -> Values:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
