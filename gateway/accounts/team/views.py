"""Pages outside the admin's own: a forgotten password, links of letters, the second factor."""

from typing import Any, cast

import segno
from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from gateway.accounts.errors import DeadLink, WrongCode
from gateway.accounts.links import Purpose
from gateway.accounts.models import LENGTHS, User
from gateway.accounts.second_factor.codes import accept_code, enrolment_address, pending_secret
from gateway.accounts.second_factor.enrolment import enrol
from gateway.accounts.second_factor.passed import note_passed
from gateway.accounts.sign_in import attempts, known_devices
from gateway.accounts.sign_in.passwords import MAX_PASSWORD
from gateway.accounts.team.passwords import accept_invitation, ask_for_reset, is_alive, reset_password
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import TellsRefusals
from gateway.staff.language import staff_language
from gateway.staff.widgets import dress
from gateway.web.http import UNKNOWN, network_of

SAVE = Text("Сохранить", "Save")
NEXT = Text("Дальше", "Continue")


class _Form(TellsRefusals, forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dress(self.fields.values())


class EmailForm(_Form):
    email = forms.EmailField(label="E-mail", max_length=LENGTHS["email"])


class PasswordForm(_Form):
    password = forms.CharField(
        label="Новый пароль",
        max_length=MAX_PASSWORD,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class WelcomeForm(PasswordForm):
    name = forms.CharField(label="Имя", max_length=LENGTHS["name"])
    field_order = ("name", "password")


class CodeForm(_Form):
    code = forms.CharField(
        label="Код из приложения или запасной код",
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "text", "autofocus": ""}),
    )


@method_decorator([never_cache, sensitive_post_parameters()], name="dispatch")
class _Page(View):
    title: Text
    submit = SAVE
    form_class: type[_Form]

    def explained(self) -> str:
        return ""

    def act(self, form: Any) -> HttpResponse:
        """Do what was asked. Raises DomainError to refuse."""
        raise NotImplementedError

    def get(self, request: HttpRequest, **_: str) -> HttpResponse:
        return self.shown(self.form_class())

    def post(self, request: HttpRequest, **_: str) -> HttpResponse:
        form = self.form_class(request.POST)
        if form.is_valid():
            try:
                return self.act(form)
            except DomainError as refusal:
                form.tell(form.reasons(refusal))
        return self.shown(form)

    def shown(self, form: _Form | None, **context: Any) -> HttpResponse:
        language = staff_language()
        page = {
            **admin.site.each_context(self.request),
            "title": self.title.in_language(language),
            "explained": self.explained(),
            "submit_title": self.submit.in_language(language),
            "form": form,
            **context,
        }
        return TemplateResponse(self.request, "staff/sign_in/form.html", page)

    def signed_out(self, told: Text) -> HttpResponse:
        messages.success(self.request, told.in_language(staff_language()))
        return HttpResponseRedirect(reverse("admin:login"))


class ForgottenPassword(_Page):
    title = Text("Забыли пароль?", "Forgot your password?")
    submit = Text("Прислать ссылку", "Send a link")
    form_class = EmailForm

    def act(self, form: EmailForm) -> HttpResponse:
        request = self.request
        ask_for_reset(
            form.cleaned_data["email"],
            _client(request),
            request.COOKIES.get(known_devices.COOKIE),
            lambda token: request.build_absolute_uri(reverse("staff_password", args=[token])),
        )
        return self.signed_out(
            Text(
                "Если такой сотрудник есть, ему отправлено письмо со ссылкой.",
                "If there is such a member of staff, a letter with a link is on its way.",
            )
        )


class _ByLink(_Page):
    purpose: Purpose

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not is_alive(self.purpose, kwargs["token"]):
            return self.shown(None, explained=DeadLink().message(staff_language()))
        return super().dispatch(request, *args, **kwargs)


class NewPassword(_ByLink):
    purpose = Purpose.STAFF_PASSWORD
    title = Text("Новый пароль", "A new password")
    form_class = PasswordForm

    def act(self, form: PasswordForm) -> HttpResponse:
        reset_password(self.kwargs["token"], password=form.cleaned_data["password"])
        return self.signed_out(Text("Пароль изменён. Войдите.", "The password is changed. Sign in."))


class Invitation(_ByLink):
    purpose = Purpose.INVITATION
    title = Text("Добро пожаловать", "Welcome")
    form_class = WelcomeForm

    def act(self, form: WelcomeForm) -> HttpResponse:
        given = form.cleaned_data
        accept_invitation(self.kwargs["token"], name=given["name"], password=given["password"])
        return self.signed_out(Text("Готово. Войдите.", "Done. Sign in."))


class _OfStaff(_Page):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        user = request.user
        if not isinstance(user, User) or not user.is_staff:
            return HttpResponseRedirect(reverse("admin:login"))
        return super().dispatch(request, *args, **kwargs)

    @property
    def user(self) -> User:
        return cast("User", self.request.user)

    def onward(self) -> HttpResponse:
        wanted = self.request.GET.get("next", "")
        safe = url_has_allowed_host_and_scheme(wanted, {self.request.get_host()}, self.request.is_secure())
        return HttpResponseRedirect(wanted if safe else reverse("admin:index"))


class SecondFactorCode(_OfStaff):
    """After the password: the code."""

    title = Text("Код подтверждения", "Confirmation code")
    submit = NEXT
    form_class = CodeForm

    def get(self, request: HttpRequest, **_: str) -> HttpResponse:
        if self.user.passed_second_factor:
            return self.onward()
        if self.user.second_factor_at is None:
            return HttpResponseRedirect(reverse("staff_second_factor_set_up"))
        return super().get(request)

    def act(self, form: CodeForm) -> HttpResponse:
        device = self.request.COOKIES.get(known_devices.COOKIE)
        attempt = attempts.begin(self.user.email, _client(self.request), device)
        if not accept_code(self.user, form.cleaned_data["code"]):
            raise WrongCode("code")
        attempt.take_back()
        note_passed(self.request.session, self.user)
        self.request.session.cycle_key()
        return self.onward()


class SecondFactorSetUp(_OfStaff):
    """A telephone is enrolled: it reads the QR code and shows a first code."""

    title = Text("Второй фактор", "Second factor")
    form_class = CodeForm

    def explained(self) -> str:
        text = Text(
            "Откройте приложение для одноразовых кодов, прочитайте им QR-код и наберите код, который оно покажет.",
            "Open an app for one-time codes, let it read the QR code, and type the code that it shows.",
        )
        return text.in_language(staff_language())

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated and cast("User", request.user).second_factor_at is not None:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def shown(self, form: _Form | None, **context: Any) -> HttpResponse:
        if form is None:
            return super().shown(None, **context)
        secret = pending_secret(self.user)
        drawn = segno.make(enrolment_address(self.user, secret)).svg_inline(scale=4)
        # Drawn by us from an address that holds no markup.
        return super().shown(form, picture=mark_safe(drawn), secret=secret, **context)  # noqa: S308

    def act(self, form: CodeForm) -> HttpResponse:
        attempt = attempts.begin(self.user.email, _client(self.request), None)
        codes = enrol(self.user, form.cleaned_data["code"], actor=Actor.account(self.user, Source.ADMIN))
        attempt.take_back()
        note_passed(self.request.session, self.user)
        told = Text(
            "Готово. Сохраните запасные коды: каждый заменит телефон один раз, больше их не покажут.",
            "Done. Keep the recovery codes: each replaces the telephone once; they are not shown again.",
        )
        language = staff_language()
        return self.shown(
            None,
            codes=codes,
            explained=told.in_language(language),
            onward=reverse("admin:index"),
            onward_title=NEXT.in_language(language),
        )


def _client(request: HttpRequest) -> str:
    return network_of(request.META.get("REMOTE_ADDR", UNKNOWN))
