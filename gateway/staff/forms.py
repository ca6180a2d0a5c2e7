"""Forms of staff that call an action of the domain: pages of a model, and dialogs for one action on one object.

A form is checked first, without any side effect. Then the action runs. What it refuses is shown beside the fields, all
reasons at once, with everything that was typed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, NamedTuple, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.options import ModelAdmin
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.crypto import get_random_string
from django.views import View

from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.idempotency.keys import KeyReused, keyed
from gateway.idempotency.submissions import OutcomeUnknown, submission
from gateway.staff.labels import translate_fields
from gateway.staff.language import staff_language
from gateway.staff.money import AsksOfJumps
from gateway.staff.widgets import dress

DONE = Text("Сделано.", "Done.")
UNCHANGED = Text("Ничего не изменено.", "Nothing was changed.")
DONE_BEFORE = Text("Эта форма уже отправлена: всё сделано.", "This form was sent before: it is done.")
SENT_BEFORE = Text(
    "Эта форма уже отправлена с другими данными. Проверьте, что сделано; если нужно ещё, отправьте снова.",
    "This form was sent before with other input. See what was done; if you want this as well, send it again.",
)
KEY_LENGTH = 32


class TellsRefusals(forms.BaseForm):
    """A form that shows the reasons of an action beside its fields."""

    def field_of(self, path: Sequence[str | int]) -> str | None:
        """The form's field for a path of the action's input; None: the reason stands above the form."""
        return str(path[0]) if path and path[0] in self.fields else None

    def told(self, reason: DomainError) -> str:
        """The reason in the language of the member of staff."""
        return reason.message(staff_language())

    def reasons(self, refusal: DomainError) -> list[tuple[str | None, str]]:
        """Every reason of the refusal: its field, and what is told there."""
        return [(self.field_of(reason.path), self.told(reason)) for reason in refusal]

    def tell(self, reasons: Sequence[tuple[str | None, str]]) -> None:
        """Add the reasons to the form.

        Take all of them before: the first that is added drops its field from `cleaned_data`, which others may need.
        """
        for field, message in reasons:
            self.add_error(field, message)


class ActionForm(TellsRefusals, AsksOfJumps, forms.ModelForm):
    """The form of a page of a model, for a `SavedByItsForm`."""

    actor: Actor
    """Who acts; there when `act` is called."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.notices: list[str] = []
        """What the person is told besides, once it is done."""
        again = _again.get()
        if again and again.retyped and self.is_bound:
            self.data = again.retyped
        dress(self.fields.values())

    def act(self) -> None:
        """Call the action and bring `self.instance` in line with what it made."""
        raise NotImplementedError

    def retyped(self) -> Mapping[str, Any] | None:
        """What the form shows after a refusal instead of what was typed; None: just that."""
        return None

    def _post_clean(self) -> None:
        """Leave the instance alone, which the action knows better; tell what it refused, if it has."""
        if again := _again.get():
            self.tell(again.reasons)


class _Again(Exception):
    """The action refused what the form had accepted: it is shown again, with the reasons."""

    def __init__(self, form: ActionForm, refusal: DomainError) -> None:
        super().__init__(str(refusal))
        self.reasons = form.reasons(refusal)
        self.retyped = form.retyped()


_again: ContextVar[_Again | None] = ContextVar("form_shown_again", default=None)


class SavedByItsForm:
    """Mixed into a ModelAdmin whose form is an `ActionForm`: saving is the form's action."""

    def save_model(self, request: Any, obj: Any, form: Any, change: bool) -> None:
        form.actor = Actor.account(request.user, Source.ADMIN)
        try:
            form.act()
        except DomainError as refusal:
            raise _Again(form, refusal) from refusal
        for notice in form.notices:
            messages.info(request, notice)

    def response_change(self, request: Any, obj: Any) -> HttpResponse:
        """Lead on with a message that does not say «changed» when nothing was."""
        if not getattr(obj, "is_unchanged", False):
            return super().response_change(request, obj)  # type: ignore[misc,no-any-return]
        messages.info(request, UNCHANGED.in_language(staff_language()))
        if "_continue" in request.POST:
            return HttpResponseRedirect(request.get_full_path())
        return self.response_post_save_change(request, obj)  # type: ignore[attr-defined,no-any-return]

    def changeform_view(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the page; when the action refuses, show the form again: this time it knows why, and is not valid."""
        view = super().changeform_view  # type: ignore[misc]
        try:
            return view(request, *args, **kwargs)  # type: ignore[no-any-return]
        except _Again as again:
            with _shown_again(again):
                return view(request, *args, **kwargs)  # type: ignore[no-any-return]


@contextmanager
def _shown_again(again: _Again) -> Iterator[None]:
    token = _again.set(again)
    try:
        yield
    finally:
        _again.reset(token)


class DialogForm(TellsRefusals, AsksOfJumps, forms.Form):
    """The form of an `ActionDialog`."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=KEY_LENGTH, required=False)
    """Made when the form is shown: sent twice, it is one action."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].initial = new_key
        dress(self.fields.values())
        translate_fields(self)

    def give_focus(self) -> None:
        """Let the person begin at the first field that was refused, else at the first of all."""
        shown = self.visible_fields()
        for field in [*(each for each in shown if each.errors), *shown][:1]:
            field.field.widget.attrs["autofocus"] = True

    def renew_key(self) -> None:
        """Let the form be sent once more, as another action."""
        data = cast("QueryDict", self.data).copy()
        data["key"] = new_key()
        self.data = data


class Link(NamedTuple):
    """A way to a dialog, for buttons on the object's page."""

    title: str
    url: str
    name: str
    is_dangerous: bool


class ActionDialog(View):
    """A page with a form for one action on one object. A subclass names the action; `WithDialogs` gives the address.

    GET shows the form. POST checks it and calls `act`; a refusal is shown beside its fields with everything typed,
    success returns to the object with a message. Whoever lacks a permission gets 403.
    """

    name: ClassVar[str]
    """The end of the address: `refund`."""
    title: ClassVar[Text]
    submit: ClassVar[Text]
    """What the button says: a verb."""
    permissions: ClassVar[tuple[str, ...]]
    form_class: ClassVar[type[DialogForm]]
    is_dangerous: ClassVar[bool] = False
    """Shows the button in red: it cannot be undone."""
    template_name: ClassVar[str] = "staff/dialog.html"

    # Given to `as_view`, which takes only what the class has.
    model_admin: ModelAdmin = None  # type: ignore[assignment]
    object_id: str
    subject: Any
    """The object acted on, as `find` gives it."""

    def act(self, form: Any, actor: Actor) -> str | Text | None:
        """Call the action with `form.cleaned_data`; returns the message for the person, None for a general one.

        `cleaned_data["key"]` is the form's key, for actions that take one. Raises DomainError to refuse.
        """
        raise NotImplementedError

    def find(self, object_id: str) -> Any:
        """The object acted on; None: there is no such object."""
        return self.model_admin.get_object(self.request, object_id)

    def initial(self) -> dict[str, Any]:
        """What the form shows at first."""
        return {}

    def form_arguments(self) -> dict[str, Any]:
        """Further arguments of the form, such as the lines of an order."""
        return {}

    def explained(self) -> str:
        """A sentence above the form: what will happen."""
        return ""

    def address_after(self) -> str:
        """Where the person goes afterwards, and by «cancel»: the page of the object."""
        return reverse(f"admin:{self._prefix()}_change", args=[quote(self.object_id)])

    @classmethod
    def is_allowed(cls, user: Any) -> bool:
        return isinstance(user, User) and user.is_staff and user.has_perms(cls.permissions)

    @classmethod
    def is_offered(cls, subject: Any) -> bool:
        """Whether the action makes sense for this object now; the action has the last word."""
        return True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not self.is_allowed(request.user):
            raise PermissionDenied
        self.object_id = unquote(kwargs["object_id"])
        self.subject = self.find(self.object_id)
        if self.subject is None:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._page(self.form_class(initial=self.initial(), **self.form_arguments()))

    def post(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form = self.form_class(request.POST, request.FILES, initial=self.initial(), **self.form_arguments())
        if not form.is_valid():
            return self._page(form)
        actor = Actor.account(request.user, Source.ADMIN)  # type: ignore[arg-type]
        try:
            message = self._act_once(form, actor)
        except DomainError as refusal:
            form.tell(form.reasons(refusal))
            return self._page(form)
        messages.success(request, message)
        return HttpResponseRedirect(self.address_after())

    def _act_once(self, form: DialogForm, actor: Actor) -> str:
        data = self.request.POST
        sent = {name: data.getlist(name) for name in data if name not in ("csrfmiddlewaretoken", "key")}
        action = f"{self._prefix()}_{self.name}:{self.object_id}"
        key = keyed(form.cleaned_data["key"] or new_key(), action, sent)
        assert key is not None  # noqa: S101 - a key was given
        try:
            with submission(key, actor) as is_first:
                done = (self.act(form, actor) or DONE) if is_first else DONE_BEFORE
        except OutcomeUnknown:
            form.renew_key()
            raise
        except KeyReused as reused:
            form.renew_key()
            raise SentBefore from reused
        return done.in_language(staff_language()) if isinstance(done, Text) else done

    def _page(self, form: DialogForm) -> HttpResponse:
        language = staff_language()
        site = self.model_admin.admin_site
        form.give_focus()
        context = {
            **site.each_context(self.request),
            "opts": self.model_admin.opts,
            "title": self.title.in_language(language),
            "form": form,
            "subject": self.subject,
            "explained": self.explained(),
            "submit_title": self.submit.in_language(language),
            "cancel": CANCEL.in_language(language),
            "address_after": self.address_after(),
            "submit_variant": "danger" if self.is_dangerous else "primary",
            "has_file_field": form.is_multipart(),
        }
        self.request.current_app = site.name
        return TemplateResponse(self.request, self.template_name, context)

    def _prefix(self) -> str:
        opts = self.model_admin.opts
        return f"{opts.app_label}_{opts.model_name}"


CANCEL = Text("Отмена", "Cancel")


class SentBefore(DomainError):
    code = KeyReused.code
    text = SENT_BEFORE


class WithDialogs(ModelAdmin):
    """Mixed into a ModelAdmin: each dialog has its address below the object's own, `…/<id>/<name>/`."""

    dialogs: ClassVar[tuple[type[ActionDialog], ...]] = ()

    def get_urls(self) -> list[URLPattern]:
        prefix = f"{self.opts.app_label}_{self.opts.model_name}"
        own = [
            path(
                f"<path:object_id>/{dialog.name}/",
                self.admin_site.admin_view(dialog.as_view(model_admin=self)),
                name=f"{prefix}_{dialog.name}",
            )
            for dialog in self.dialogs
        ]
        return [*own, *super().get_urls()]

    def dialog_links(self, request: HttpRequest, object_id: str, subject: Any) -> list[Link]:
        """The dialogs that this person may open for this object, which is what their `find` gives."""
        prefix = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        return [
            Link(
                dialog.title.in_language(staff_language()),
                reverse(f"{prefix}_{dialog.name}", args=[quote(object_id)]),
                dialog.name,
                dialog.is_dangerous,
            )
            for dialog in self.dialogs
            if dialog.is_allowed(request.user) and dialog.is_offered(subject)
        ]


def new_key() -> str:
    return get_random_string(KEY_LENGTH)
