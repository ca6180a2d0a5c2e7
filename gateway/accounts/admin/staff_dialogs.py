"""What administrators do with the account of a member of staff, each a dialog over one action."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest
from django.urls import reverse

from gateway.accounts.models import User
from gateway.accounts.roles import ROLES
from gateway.accounts.second_factor.enrolment import forget_second_factor
from gateway.accounts.team.invitations import invite_again
from gateway.accounts.team.members import change_member, end_session, roles_of, sign_out_member
from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.staff.forms import ActionDialog, DialogForm

CHOICES = [(name, name) for name in ROLES]
CHANGE = ("accounts.change_user",)


def invitation_link(request: HttpRequest) -> Callable[[str], str]:
    return lambda token: request.build_absolute_uri(reverse("staff_invitation", args=[token]))


class Confirmation(DialogForm):
    """Nothing to fill in."""


class RolesForm(DialogForm):
    roles = forms.MultipleChoiceField(
        label="Роли", choices=CHOICES, required=False, widget=forms.CheckboxSelectMultiple
    )
    is_active = forms.BooleanField(label="Может входить", required=False)
    reason = forms.CharField(label="Причина", max_length=500, required=False)


class InvitationForm(DialogForm):
    email = forms.EmailField(label="E-mail")
    roles = forms.MultipleChoiceField(label="Роли", choices=CHOICES, widget=forms.CheckboxSelectMultiple)


class SessionForm(DialogForm):
    session = forms.CharField(widget=forms.HiddenInput, max_length=64)


class MemberDialog(ActionDialog):
    subject: User
    permissions = CHANGE


class ChangeRoles(MemberDialog):
    name = "roles"
    title = Text("Роли и доступ", "Roles and access")
    submit = Text("Сохранить", "Save")
    form_class = RolesForm

    def initial(self) -> dict[str, Any]:
        return {"roles": roles_of(self.subject), "is_active": self.subject.is_active}

    def act(self, form: RolesForm, actor: Actor) -> Text:
        given = form.cleaned_data
        change_member(
            self.object_id, roles=given["roles"], is_active=given["is_active"], actor=actor, reason=given["reason"]
        )
        return Text("Сохранено.", "Saved.")


class InviteAgain(MemberDialog):
    name = "invite"
    title = Text("Пригласить ещё раз", "Invite again")
    submit = Text("Отправить письмо", "Send the letter")
    form_class = Confirmation

    @classmethod
    def is_offered(cls, subject: User) -> bool:
        return subject.invited_at is not None and subject.is_active

    def act(self, form: Confirmation, actor: Actor) -> Text:
        if invite_again(self.object_id, actor=actor, link=invitation_link(self.request)):
            return Text("Приглашение отправлено.", "The invitation went.")
        return Text("Письмо не ушло: почтовый сервер недоступен.", "The letter did not go: the mail server is away.")


class SignOut(MemberDialog):
    name = "sign-out"
    title = Text("Завершить все сеансы", "Sign out everywhere")
    submit = Text("Завершить", "Sign out")
    form_class = Confirmation

    def act(self, form: Confirmation, actor: Actor) -> Text:
        sign_out_member(self.object_id, actor=actor)
        return Text("Все сеансы завершены.", "Signed out everywhere.")


class EndSession(MemberDialog):
    name = "end-session"
    title = Text("Завершить сеанс", "End a session")
    submit = Text("Завершить", "End")
    form_class = SessionForm

    @classmethod
    def is_offered(cls, subject: User) -> bool:
        """Offered beside each session, not above the page."""
        return False

    def initial(self) -> dict[str, Any]:
        return {"session": self.request.GET.get("session", "")}

    def act(self, form: SessionForm, actor: Actor) -> Text:
        end_session(self.object_id, form.cleaned_data["session"], actor=actor)
        return Text("Сеанс завершён.", "The session is over.")


class ForgetSecondFactor(MemberDialog):
    name = "second-factor"
    title = Text("Сбросить второй фактор", "Reset the second factor")
    submit = Text("Сбросить", "Reset")
    form_class = Confirmation
    is_dangerous = True

    @classmethod
    def is_offered(cls, subject: User) -> bool:
        return subject.second_factor_at is not None

    def act(self, form: Confirmation, actor: Actor) -> Text:
        forget_second_factor(self.object_id, actor=actor)
        return Text("Второй фактор сброшен.", "The second factor is reset.")


DIALOGS = (ChangeRoles, InviteAgain, SignOut, EndSession, ForgetSecondFactor)
