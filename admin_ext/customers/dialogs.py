"""What staff do with a customer, each a dialog over one action."""

from typing import Any

from bson import ObjectId
from django import forms
from django.http import HttpRequest, HttpResponse

from admin_ext.customers.export import export_customer
from admin_ext.customers.page import cart_lines, find_cart
from cart.merge import restore_abandoned
from gateway.accounts.customers.access import activate_customer, deactivate_customer, sign_out_customer
from gateway.accounts.customers.accounts import show_contacts
from gateway.accounts.customers.anonymisation import anonymisation_of
from gateway.accounts.customers.notes import LONGEST, add_note
from gateway.accounts.masking import may_unmask_contacts, sees_contacts
from gateway.accounts.models import Customer
from gateway.accounts.owners import customer_owner
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import ActionDialog, DialogForm
from gateway.staff.language import staff_language
from gateway.viewer.anonymisation import anonymise_customer

REASON = 500


class Confirmation(DialogForm):
    """Nothing to fill in."""


class WithReason(DialogForm):
    reason = forms.CharField(label="Причина", max_length=REASON, widget=forms.Textarea(attrs={"rows": 2}))


class NoteForm(DialogForm):
    text = forms.CharField(label="Заметка", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}))


class AnonymiseForm(DialogForm):
    typed = forms.CharField(label="E-mail покупателя или номер его учётной записи", max_length=254)
    guests = forms.BooleanField(label="И заказы, сделанные без входа на тот же e-mail", required=False, initial=True)


class CartForm(DialogForm):
    cart = forms.CharField(widget=forms.HiddenInput, max_length=24)


class CustomerDialog(ActionDialog):
    subject: Customer

    @classmethod
    def is_offered(cls, subject: Customer) -> bool:
        return subject.anonymised_at is None

    def _refused(self, refusal: DomainError) -> HttpResponse:
        form = self.form_class(self.request.POST)
        form.is_valid()
        form.tell(form.reasons(refusal))
        return self._page(form)


class AddNote(CustomerDialog):
    name = "note"
    title = Text("Заметка", "Note")
    submit = Text("Записать", "Write down")
    permissions = ("accounts.change_customer",)
    form_class = NoteForm

    def act(self, form: NoteForm, actor: Actor) -> Text:
        add_note(self.object_id, form.cleaned_data["text"], actor=actor, key=form.cleaned_data["key"])
        return Text("Записано.", "Written down.")


class Unmask(CustomerDialog):
    name = "contacts"
    title = Text("Показать контакты", "Show contacts")
    submit = Text("Показать", "Show")
    permissions = ("accounts.view_customer", "accounts.unmask_contacts")
    form_class = Confirmation

    @classmethod
    def is_allowed(cls, user: Any) -> bool:
        return super().is_allowed(user) and may_unmask_contacts(user) and not sees_contacts(user)

    def explained(self) -> str:
        text = Text("Кому и когда показаны контакты, записывается в журнал.", "Who saw them and when is written down.")
        return text.in_language(staff_language())

    def post(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the page once with the contacts: they must not wait in a message for the next page."""
        try:
            show_contacts(self.object_id, actor=Actor.account(request.user, Source.ADMIN))  # type: ignore[arg-type]
        except DomainError as refusal:
            return self._refused(refusal)
        return self.model_admin.shown(request, self.subject, clear=True)  # type: ignore[attr-defined,no-any-return]


class RestoreCart(CustomerDialog):
    name = "restore-cart"
    title = Text("Вернуть брошенную корзину", "Restore an abandoned cart")
    submit = Text("Вернуть", "Restore")
    permissions = ("accounts.change_customer",)
    form_class = CartForm

    @classmethod
    def is_offered(cls, subject: Customer) -> bool:
        """Offered beside each cart, not above the page."""
        return False

    def initial(self) -> dict[str, Any]:
        return {"cart": self.request.GET.get("cart", "")}

    def explained(self) -> str:
        cart = find_cart(customer_owner(self.object_id), self.request.GET.get("cart", ""))
        text = Text(
            "Товары вернутся в активную корзину покупателя: {lines}.",
            "The lines go back into the customer's active cart: {lines}.",
        )
        return text.in_language(staff_language(), lines=cart_lines(cart)) if cart else ""

    def act(self, form: CartForm, actor: Actor) -> Text | str:
        cart_id = form.cleaned_data["cart"]
        wanted = ObjectId(cart_id) if ObjectId.is_valid(cart_id) else ObjectId()
        done = restore_abandoned(customer_owner(self.object_id), wanted, actor=actor)
        if not done.lines_dropped:
            return Text("Корзина возвращена.", "The cart is back.")
        text = Text("Корзина возвращена; не поместилось: {names}.", "The cart is back; no room for: {names}.")
        return text.in_language(staff_language(), names=", ".join(done.lines_dropped))


class SignOut(CustomerDialog):
    name = "sign-out"
    title = Text("Завершить все сеансы", "Sign out everywhere")
    submit = Text("Завершить", "Sign out")
    permissions = ("accounts.change_customer",)
    form_class = Confirmation

    def act(self, form: Confirmation, actor: Actor) -> Text:
        sign_out_customer(self.object_id, actor=actor)
        return Text("Все сеансы завершены.", "Signed out everywhere.")


class Deactivate(CustomerDialog):
    name = "deactivate"
    title = Text("Отключить", "Deactivate")
    submit = Text("Отключить", "Deactivate")
    permissions = ("accounts.change_customer",)
    form_class = WithReason
    is_dangerous = True

    @classmethod
    def is_offered(cls, subject: Customer) -> bool:
        return super().is_offered(subject) and subject.is_active

    def act(self, form: WithReason, actor: Actor) -> Text:
        deactivate_customer(self.object_id, reason=form.cleaned_data["reason"], actor=actor)
        return Text("Учётная запись отключена, сеансы завершены.", "Deactivated and signed out.")


class Activate(CustomerDialog):
    name = "activate"
    title = Text("Включить", "Activate")
    submit = Text("Включить", "Activate")
    permissions = ("accounts.change_customer",)
    form_class = WithReason

    @classmethod
    def is_offered(cls, subject: Customer) -> bool:
        return super().is_offered(subject) and not subject.is_active

    def act(self, form: WithReason, actor: Actor) -> Text:
        activate_customer(self.object_id, reason=form.cleaned_data["reason"], actor=actor)
        return Text("Учётная запись включена.", "Activated.")


class Export(CustomerDialog):
    name = "export"
    title = Text("Выгрузить данные", "Export the data")
    submit = Text("Скачать JSON", "Download JSON")
    permissions = ("accounts.export_customer",)
    form_class = Confirmation

    def post(self, request: HttpRequest, object_id: str) -> HttpResponse:
        actor = Actor.account(request.user, Source.ADMIN)  # type: ignore[arg-type]
        try:
            data = export_customer(self.object_id, actor=actor)
        except DomainError as refusal:
            return self._refused(refusal)
        headers = {"Content-Disposition": f'attachment; filename="customer-{self.object_id}.json"'}
        return HttpResponse(data, content_type="application/json", headers=headers)


class Anonymise(CustomerDialog):
    name = "anonymise"
    title = Text("Обезличить", "Anonymise")
    submit = Text("Обезличить навсегда", "Anonymise for good")
    permissions = ("accounts.anonymise_customer",)
    form_class = AnonymiseForm
    is_dangerous = True

    @classmethod
    def is_offered(cls, subject: Customer) -> bool:
        return super().is_offered(subject) or anonymisation_of(str(subject.pk)) is not None

    def explained(self) -> str:
        text = Text(
            "Имя, e-mail, телефон и адреса исчезнут из учётной записи, всех заказов, архива и журнала; заметки о"
            " покупателе удалятся. Суммы и товары останутся. Отменить нельзя. Наберите e-mail, чтобы подтвердить.",
            "Name, e-mail, telephone and addresses go from the account, all orders, the archive and the journal; notes"
            " about the customer are deleted. Amounts and products stay. There is no way back. Type the e-mail to"
            " confirm.",
        )
        return text.in_language(staff_language())

    def act(self, form: AnonymiseForm, actor: Actor) -> Text:
        typed, guests = form.cleaned_data["typed"], form.cleaned_data["guests"]
        anonymise_customer(self.object_id, typed=typed, guests=guests, actor=actor)
        return Text("Покупатель обезличен.", "The customer is anonymised.")


DIALOGS = (AddNote, Unmask, RestoreCart, SignOut, Export, Deactivate, Activate, Anonymise)
