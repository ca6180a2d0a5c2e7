"""The dialog that takes one change of a product back, after it has shown what comes back and what stays."""

from functools import cached_property
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404

from catalog.admin.product.dialog import CHANGE, CHANGE_STOCK, MAX_REASON, LabelledForm, ProductDialog
from catalog.changes.batch import Outcome
from catalog.changes.undo import ADDED, UNDONE, change_of, changed_values, take_back, would_take_back
from catalog.changes.values import QUANTITY
from catalog.documents import ProductDocument
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.lines import Change, changes_in_words
from gateway.audit.trail import Actor
from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language
from gateway.staff.times import time_text

ABOUT = Text("{name}: изменение от {moment}.", "{name}: the change of {moment}.")
RETURNED = Text("Возвращено: {changes}.", "Taken back: {changes}.")
LEFT = Text("Оставлено как есть: {changes}.", "Left as it is: {changes}.")
SINCE = Text("{label}: было изменено на {believed}, сейчас {now}", "{label}: was changed to {believed}, is {now} now")
REASON = Text("возврат изменения от {moment}", "taking back the change of {moment}")
WITH_REASON = Text("{told}: {reason}", "{told}: {reason}")
WORDS = {
    "comes_back": Text("Вернётся", "Comes back"),
    "now": Text("Сейчас", "Now"),
    "then": Text("Станет", "Then"),
    "stays": Text("Не вернётся: это изменили позже", "Stays: somebody has changed it since"),
    "changed_to": Text("Меняли на", "Changed to"),
    "what": Text("Что", "What"),
    "nothing": Text("Возвращать нечего: всё это изменили позже.", "Nothing comes back: all of it was changed since."),
    "back_already": Text("Всё уже так, как было до этого изменения.", "All is as it was before this change."),
    "refused": Text("Вернуть нельзя", "This cannot be taken back"),
    "stock": Text(
        "Остаток возвращается штуками: проданное за это время остаётся проданным.",
        "Stock comes back as pieces: what was sold meanwhile stays sold.",
    ),
    "nothing_there": Text("ничего", "nothing"),
}


class ChangedSince(DomainError):
    """Nothing was taken back: somebody has changed all of it since."""

    code = Code.CONFLICT
    text = Text("Это изменили позже, ничего не возвращено. {changes}.", "It was changed since; nothing was. {changes}.")


class BackAlready(DomainError):
    """There is nothing to take back: everything is as it was before the change."""

    code = Code.CONFLICT
    text = WORDS["back_already"]


class Shown(NamedTuple):
    """What taking back would do, in words."""

    returns: list[Change]
    """Now → then."""
    stays: list[Change]
    """What it was changed to → what it is now."""
    refusals: list[str]
    moves_stock: bool


def may_take_back(entry: AuditEntryDocument, user: Any) -> bool:
    """Whether this person may, and it makes sense: a product that was added is withdrawn in its form instead."""
    return entry["action"] in UNDONE - {ADDED} and user.has_perms(_rights(entry))


class TakeBackForm(LabelledForm):
    entry = forms.CharField(widget=forms.HiddenInput, max_length=24)
    reason = forms.CharField(required=False, max_length=MAX_REASON)

    def __init__(self, *args: Any, change: AuditEntryDocument, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._change = change

    @cached_property
    def shown(self) -> Shown:
        """What taking the change back would do when the page is made."""
        outcome = would_take_back(self._change)
        returns, stays = _in_words(outcome)
        refusals = [reason.message(staff_language()) for reason in outcome.refusals]
        return Shown(returns, stays, refusals, any(name.startswith(QUANTITY) for name in outcome.changes))

    @property
    def words(self) -> dict[str, str]:
        return {name: said(text) for name, text in WORDS.items()}


class TakeBack(ProductDialog):
    """Which change is meant stands in the address, and then in the form."""

    name = "take-back"
    title = Text("Вернуть, как было", "Take a change back")
    submit = Text("Вернуть", "Take back")
    # Whoever only counts the stock takes back what touched nothing else: see `find`.
    permissions = (CHANGE,)
    form_class = TakeBackForm
    template_name = "catalog/admin/product/take_back.html"
    page = "history"

    entry: AuditEntryDocument

    @classmethod
    def is_allowed(cls, user: Any) -> bool:
        return super().is_allowed(user) or bool(user.is_staff and user.has_perm(CHANGE_STOCK))

    def find(self, object_id: str) -> ProductDocument | None:
        wanted = self.request.POST.get("entry") or self.request.GET.get("entry") or ""
        entry = change_of(object_id, wanted)
        if entry is None or entry["action"] == ADDED:
            raise Http404
        if not may_take_back(entry, self.request.user):
            raise PermissionDenied
        self.entry = entry
        return super().find(object_id)

    def initial(self) -> dict[str, Any]:
        return {"entry": str(self.entry["_id"])}

    def explained(self) -> str:
        return said(ABOUT, name=self.subject["name"], moment=time_text(self.entry["at"], seconds=True))

    def form_arguments(self) -> dict[str, Any]:
        return {"change": self.entry}

    def act(self, form: TakeBackForm, actor: Actor) -> str:
        outcome = take_back(self.entry["_id"], actor=actor, reason=self._reason(form.cleaned_data["reason"].strip()))
        if outcome.refusals:
            raise Refused(outcome.refusals)
        returned, stays = _in_words(outcome)
        left = "; ".join(_since(change) for change in stays)
        if not returned:
            raise ChangedSince(changes=left) if left else BackAlready
        done = said(RETURNED, changes="; ".join(map(str, returned)))
        return f"{done} {said(LEFT, changes=left)}" if left else done

    def _reason(self, given: str) -> str:
        told = said(REASON, moment=time_text(self.entry["at"], seconds=True))
        return said(WITH_REASON, told=told, reason=given) if given else told


def _rights(entry: AuditEntryDocument) -> set[str]:
    return {CHANGE_STOCK if name.startswith(QUANTITY) else CHANGE for name in changed_values(entry)}


def _in_words(outcome: Outcome) -> tuple[list[Change], list[Change]]:
    """What changes, and what stays because somebody has changed it since."""
    returns, stays = changes_in_words("product", [outcome.changes, outcome.conflicts])
    return returns, stays


def _since(change: Change) -> str:
    believed = change.before or said(WORDS["nothing_there"])
    return said(SINCE, label=change.label, believed=believed, now=change.after)
