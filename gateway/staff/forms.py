"""Admin forms that do not save rows but call an action of the domain."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.translation import get_language

from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Language


class ActionForm(forms.ModelForm):
    """A form whose last check is the action itself, so that what the domain refuses stands beside its field.

    Once `is_valid` says yes, the change is made; the admin has nothing left to save.
    """

    actor: ClassVar[Actor]
    """Who acts; set on the class that `ModelAdmin.get_form` makes for one request."""

    def act(self) -> None:
        """Call the action and bring `self.instance` in line with what it made."""
        raise NotImplementedError

    def field_of(self, path: Sequence[str | int]) -> str | None:
        """The form's field for a path of the action's input; None: the error stands above the form."""
        return str(path[0]) if path and path[0] in self.fields else None

    def told(self, reason: DomainError) -> str:
        """The reason in the language of the member of staff."""
        return reason.message(staff_language())

    def _post_clean(self) -> None:
        """Call the action, in place of Django's validation of the instance, which the action knows better."""
        if self.errors:
            return
        try:
            self.act()
        except DomainError as refusal:
            for reason in refusal:
                self.add_error(self.field_of(reason.path), self.told(reason))


class SavedByItsForm:
    """Mixed into a ModelAdmin whose form is an `ActionForm`."""

    def save_model(self, request: Any, obj: Any, form: Any, change: bool) -> None:
        """Nothing to do: the change was made when the form was checked."""


def staff_language() -> Language:
    return "en" if (get_language() or "").startswith("en") else "ru"
