"""The accounts of staff, apart from customers': invited, given roles, signed out. Never deleted, never with a hash."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from gateway.accounts.admin.staff_dialogs import DIALOGS, EndSession, InvitationForm, invitation_link
from gateway.accounts.errors import UnknownAccount
from gateway.accounts.models import User
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.accounts.team.invitations import invite
from gateway.accounts.team.members import member, roles_of
from gateway.audit.links import audit_url
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import WithDialogs
from gateway.staff.language import staff_language
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.times import time_text
from gateway.staff.titles import Titles

WORDS = {
    "name": Text("Имя", "Name"),
    "roles": Text("Роли", "Roles"),
    "state": Text("Состояние", "State"),
    "signed_in": Text("Последний вход", "Last sign-in"),
    "second_factor": Text("Второй фактор", "Second factor"),
    "devices": Text("Сеансы", "Sessions"),
    "no_devices": Text("Нигде не вошёл.", "Not signed in anywhere."),
    "devices_unknown": Text("Хранилище сеансов недоступно.", "The store of sessions is away."),
    "end": Text("Завершить", "End"),
    "never": Text("не было", "never"),
    "none": Text("нет", "none"),
    "superuser": Text("все права", "every right"),
    "audit": Text("Журнал", "Journal"),
}
INVITE = Text("Пригласить сотрудника", "Invite a member of staff")
SUBMIT = Text("Пригласить", "Invite")
CANCEL = Text("Отмена", "Cancel")
INVITED = Text("Приглашение отправлено на {email}.", "The invitation went to {email}.")
NOT_SENT = Text(
    "Учётная запись создана, но письмо не ушло: отправьте приглашение ещё раз.",
    "The account is made, but the letter did not go: send the invitation again.",
)
STATES = {
    "invited": Text("приглашён", "invited"),
    "active": Text("активен", "active"),
    "inactive": Text("отключён", "deactivated"),
}


@admin.register(User)
class StaffMemberAdmin(WithDialogs, ReadOnlyAdmin):
    titles = Titles(several=Text("Сотрудники", "Staff"), one=Text("Сотрудник", "Member of staff"), new=INVITE)
    dialogs = DIALOGS
    ordering = ("-date_joined", "-id")
    list_display = ("email", "name", "shown_roles", "state", "second_factor", "last_login")

    @admin.display(description="роли")
    def shown_roles(self, user: User) -> str:
        return _roles(user)

    @admin.display(description="состояние")
    def state(self, user: User) -> str:
        return _state(user)

    @admin.display(description="второй фактор", boolean=True)
    def second_factor(self, user: User) -> bool:
        return user.second_factor_at is not None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return cast("User", request.user).has_perm("accounts.add_user")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).filter(is_staff=True)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> User | None:
        try:
            return member(object_id)
        except UnknownAccount:
            return None

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A new member of staff begins with an invitation."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = InvitationForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                return self._invite(request, form)
            except DomainError as refusal:
                form.tell(form.reasons(refusal))
        language = staff_language()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": INVITE.in_language(language),
            "form": form,
            "submit_title": SUBMIT.in_language(language),
            "cancel": CANCEL.in_language(language),
            "address_after": reverse("admin:accounts_user_changelist"),
            "submit_variant": "primary",
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "staff/dialog.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one member of staff. What changes something is a dialog with an address of its own."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        user = self.get_object(request, unquote(object_id))
        if user is None:
            raise Http404
        language, user_id = staff_language(), str(user.pk)
        may_end = EndSession.is_allowed(request.user)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": user.name or user.email,
            "words": {name: text.in_language(language) for name, text in WORDS.items()},
            "member": user,
            "roles": _roles(user),
            "state": _state(user),
            "signed_in": time_text(user.last_login) if user.last_login else "",
            "second_factor": time_text(user.second_factor_at) if user.second_factor_at else "",
            "devices": _devices(user),
            "links": self.dialog_links(request, user_id, user),
            "end_url": reverse("admin:accounts_user_end-session", args=[user_id]) if may_end else None,
            "audit_url": audit_url(f"staff:{user_id}"),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "staff/member.html", context)

    def _invite(self, request: HttpRequest, form: InvitationForm) -> HttpResponse:
        actor = Actor.account(cast("User", request.user), Source.ADMIN)
        email, roles = form.cleaned_data["email"], form.cleaned_data["roles"]
        user, sent = invite(email, roles=roles, actor=actor, link=invitation_link(request))
        if sent:
            messages.success(request, INVITED.in_language(staff_language(), email=user.email))
        else:
            messages.warning(request, NOT_SENT.in_language(staff_language()))
        return HttpResponseRedirect(reverse("admin:accounts_user_change", args=[str(user.pk)]))


def _roles(user: User) -> str:
    language = staff_language()
    names = [WORDS["superuser"].in_language(language)] if user.is_superuser else []
    return ", ".join([*names, *roles_of(user)]) or WORDS["none"].in_language(language)


def _state(user: User) -> str:
    code = "inactive" if not user.is_active else "invited" if user.invited_at else "active"
    return STATES[code].in_language(staff_language())


def _devices(user: User) -> list[dict[str, str]] | None:
    """None: nobody knows."""
    try:
        found = devices_of(user)
    except SessionsUnavailable:
        return None
    return [
        {
            "id": each.session_id,
            "device": each.device,
            "address": each.ip_address,
            "active": time_text(each.last_active_at),
        }
        for each in found
    ]
