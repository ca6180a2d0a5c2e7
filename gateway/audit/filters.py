"""What a person asks of the audit, by the fields above the list."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.timezone import make_aware
from unfold.widgets import INPUT_CLASSES, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from gateway.audit.labels import ACTIONS, KINDS, actions_of
from gateway.audit.links import PROGRAMS
from gateway.audit.names import id_of
from gateway.audit.people import address_of, person_called
from gateway.audit.reading import Sought
from gateway.audit.trail import Action
from gateway.domain.texts import Text
from gateway.staff.language import said

WHO, KIND, OBJECT = Text("Кто", "Who"), Text("Над чем", "Object"), Text("Номер или код", "Number or code")
ACTION, SINCE, UNTIL = Text("Действие", "Action"), Text("С", "From"), Text("По", "To")
ANY = Text("любое", "any")
ANYTHING = Text("всё", "everything")
WHO_HINT = Text("Имя или e-mail", "Name or e-mail")
NOBODY = Text("Такого сотрудника нет, или их несколько.", "There is no such person, or several.")
KIND_MISSING = Text("Выберите, над чем: номер бывает у разного.", "Choose the kind of object too.")
BACKWARDS = Text("Конец раньше начала.", "The end is before the beginning.")
# Longer than any id or e-mail.
MAX_LENGTH = 254


class DateInput(forms.DateInput):
    input_type = "date"

    def __init__(self) -> None:
        super().__init__({"class": " ".join(INPUT_CLASSES)}, format="%Y-%m-%d")


class AuditFilter(forms.Form):
    """Each field narrows the list; days begin and end in the shop's time zone."""

    who = forms.CharField(required=False, max_length=MAX_LENGTH)
    kind = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    object = forms.CharField(required=False, max_length=MAX_LENGTH)
    action = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    since = forms.DateField(required=False, widget=DateInput)
    until = forms.DateField(required=False, widget=DateInput)

    def __init__(self, asked: Mapping[str, str]) -> None:
        """`asked`: the query of the address. `person`, an id, is what links from elsewhere name in place of `who`."""
        given = dict(asked)
        self._person_id: str | None = None
        if (person := given.get("person")) and not given.get("who"):
            self._person_id = "" if person == PROGRAMS else person
            given["who"] = address_of(self._person_id)
        super().__init__(given)
        hints: dict[str, Any] = {"placeholder": said(WHO_HINT), "list": "audit-people", "autocomplete": "off"}
        self.fields["who"].widget = UnfoldAdminTextInputWidget(hints)
        self.fields["object"].widget = UnfoldAdminTextInputWidget()
        labels = (WHO, KIND, OBJECT, ACTION, SINCE, UNTIL)
        for field, label in zip(self.fields.values(), labels, strict=True):
            field.label = said(label)
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            ("", said(ANYTHING)),
            *((code, said(kind.label)) for code, kind in KINDS.items()),
        ]
        self.fields["action"].choices = [("", said(ANY)), *_action_choices()]  # type: ignore[attr-defined]

    def clean_who(self) -> str | None:
        """The id of the person; empty for programs; None: whoever it was."""
        if self._person_id is not None:
            return self._person_id
        called: str = self.cleaned_data["who"]
        if not called:
            return None
        person_id = person_called(called)
        if person_id is None:
            raise forms.ValidationError(said(NOBODY))
        return person_id

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("object") and not given.get("kind"):
            self.add_error("kind", said(KIND_MISSING))
        since, until = given.get("since"), given.get("until")
        if since and until and until < since:
            self.add_error("until", said(BACKWARDS))
        return given

    def sought(self, *, step: str = "") -> Sought | None:
        """What is asked for; None when it makes no sense, and the fields say why."""
        if not self.is_valid():
            return None
        given = self.cleaned_data
        kind, called = given["kind"], given["object"].strip()
        return Sought(
            target=f"{kind}:{id_of(kind, called)}" if called else "",
            actor_id=given["who"],
            actions=_actions(kind, given["action"], has_target=bool(called)),
            since=make_aware(datetime.combine(given["since"], time.min)) if given["since"] else None,
            until=make_aware(datetime.combine(given["until"] + timedelta(days=1), time.min))
            if given["until"]
            else None,
            step=step,
        )


def _actions(kind: str, action: str, *, has_target: bool) -> frozenset[Action] | None:
    """The actions meant. A kind without an object means all that is done to such objects."""
    if action:
        return frozenset({Action(action)})
    return frozenset(actions_of(kind)) if kind and not has_target else None


def _action_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (said(kind.label), [(action.value, said(ACTIONS[action].name)) for action in actions_of(code)])
        for code, kind in KINDS.items()
    ]
