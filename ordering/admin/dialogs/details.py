"""Dialogs about everything else of an order: to whom and where it goes, notes, letters and its tracking number."""

from collections.abc import Sequence
from typing import Any

from django import forms

from catalog.structure.geozones import all_geozones
from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.forms import DialogForm
from gateway.staff.language import said
from gateway.staff.times import time_text
from ordering.admin.dialogs.dialog import CHANGE, OrderDialog, WithReason
from ordering.admin.words import event_words, letter_label
from ordering.documents import OrderDocument
from ordering.lifecycle.carriers import CARRIERS
from ordering.lifecycle.contacts import LIMITS, AddressDetails, ContactDetails
from ordering.lifecycle.details import BEFORE_SENDING, Details, update_details
from ordering.lifecycle.geozone import move_to_geozone
from ordering.lifecycle.notes import MAX_TEXT, add_note
from ordering.lifecycle.tracking import MAX_CARRIER, MAX_NUMBER, TRACKABLE, set_tracking
from ordering.mail.resend import resend_letter
from ordering.models import OrderStatus

LABELS = {
    "name": Text("Получатель", "Name"),
    "email": Text("E-mail", "E-mail"),
    "phone": Text("Телефон", "Telephone"),
    "city": Text("Город", "City"),
    "street": Text("Улица, дом, квартира", "Street"),
    "postcode": Text("Индекс", "Postcode"),
    "comment": Text("Комментарий курьеру", "Comment"),
    "geozone": Text("Куда", "To"),
    "text": Text("Заметка", "Note"),
    "event": Text("Письмо", "Letter"),
    "carrier": Text("Перевозчик", "Carrier"),
    "number": Text("Трек-номер", "Tracking number"),
}
ANOTHER_ADDRESS = Text(
    "Оставьте пустым, чтобы отправить на адрес из заказа.", "Leave it empty to send to the address of the order."
)
MENTIONING = Text(
    "Покупатель её не увидит. Чтобы упомянуть коллегу, напишите @anna или @anna@example.com.",
    "The buyer does not see it. To mention a colleague, write @anna or @anna@example.com.",
)
KNOWN = Text("Со ссылкой на отслеживание: {names}.", "With a link to follow it: {names}.")
RESERVED_AGAIN = Text(
    "Товары будут зарезервированы в новой геозоне. Если чего-то там не хватает, ничего не изменится.",
    "The goods will be reserved in the new geozone. If it is short of any, nothing changes.",
)


class LabelledForm(DialogForm):
    """A form whose fields are named by LABELS, in the language of the page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if name in LABELS:
                field.label = said(LABELS[name])


class DetailsForm(LabelledForm, WithReason):
    name = forms.CharField(max_length=LIMITS["name"])
    email = forms.CharField(widget=forms.EmailInput)
    phone = forms.CharField(max_length=LIMITS["phone"])
    city = forms.CharField(max_length=LIMITS["city"])
    street = forms.CharField(max_length=LIMITS["street"])
    postcode = forms.CharField(max_length=LIMITS["postcode"], required=False)
    comment = forms.CharField(max_length=LIMITS["comment"], required=False)
    field_order = ("key", "name", "email", "phone", "city", "street", "postcode", "comment", "reason")

    def field_of(self, path: Sequence[str | int]) -> str | None:
        """`contact.email` is the field `email`."""
        return super().field_of(path[-1:])


class EditDetails(OrderDialog):
    name = "details"
    title = Text("Изменить получателя и адрес", "Edit contact and address")
    submit = Text("Сохранить", "Save")
    # The form shows the contacts.
    permissions = (CHANGE, "accounts.see_contacts")
    form_class = DetailsForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return OrderStatus(subject["status"]) in BEFORE_SENDING

    def initial(self) -> dict[str, Any]:
        return {**self.subject["contact"], **self.subject["shipping_address"]}

    def act(self, form: DetailsForm, actor: Actor) -> None:
        data = form.cleaned_data
        details = Details(
            contact=ContactDetails(data["name"], data["email"], data["phone"]),
            address=AddressDetails(data["city"], data["street"], data["postcode"], data["comment"]),
        )
        update_details(self.object_id, details, reason=data["reason"], actor=actor, owner=self.subject["owner"])


class GeozoneForm(LabelledForm, WithReason):
    geozone = forms.ChoiceField()
    field_order = ("key", "geozone", "reason")

    def __init__(self, *args: Any, order: OrderDocument, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = [(zone.code, zone.name) for zone in run(all_geozones()) if zone.code != order["geozone"]]
        self.fields["geozone"].choices = zones  # type: ignore[attr-defined]


class MoveToGeozone(OrderDialog):
    name = "geozone"
    title = Text("Перенести в другую геозону", "Move to another geozone")
    submit = Text("Перенести", "Move")
    permissions = (CHANGE,)
    form_class = GeozoneForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return subject["status"] == OrderStatus.NEW.value

    def warning(self) -> str:
        return said(RESERVED_AGAIN)

    def form_arguments(self) -> dict[str, Any]:
        return {"order": self.subject}

    def act(self, form: GeozoneForm, actor: Actor) -> None:
        data = form.cleaned_data
        move_to_geozone(
            self.object_id, data["geozone"], reason=data["reason"], actor=actor, owner=self.subject["owner"]
        )


class NoteForm(LabelledForm):
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 4}), max_length=MAX_TEXT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].help_text = said(MENTIONING)


class AddNote(OrderDialog):
    name = "note"
    title = Text("Добавить заметку", "Add a note")
    submit = Text("Добавить", "Add")
    permissions = (CHANGE,)
    form_class = NoteForm

    def act(self, form: NoteForm, actor: Actor) -> None:
        data = form.cleaned_data
        add_note(self.object_id, data["text"], actor=actor, key=data["key"] or None, owner=self.subject["owner"])


class ResendForm(LabelledForm):
    event = forms.ChoiceField()
    email = forms.CharField(required=False, widget=forms.EmailInput)

    def __init__(self, *args: Any, order: OrderDocument, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["event"].choices = letters_of(order)  # type: ignore[attr-defined]
        self.fields["email"].help_text = said(ANOTHER_ADDRESS)


class ResendLetter(OrderDialog):
    name = "resend"
    title = Text("Отправить письмо ещё раз", "Send a letter once more")
    submit = Text("Отправить", "Send")
    permissions = (CHANGE,)
    form_class = ResendForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return bool(subject.get("letters"))

    def initial(self) -> dict[str, Any]:
        return {"event": self.request.GET.get("event", "")}

    def form_arguments(self) -> dict[str, Any]:
        return {"order": self.subject}

    def act(self, form: ResendForm, actor: Actor) -> None:
        data = form.cleaned_data
        email = data["email"].strip() or None
        resend_letter(self.object_id, data["event"], email=email, actor=actor, owner=self.subject["owner"])


class TrackingForm(LabelledForm):
    carrier = forms.CharField(max_length=MAX_CARRIER)
    number = forms.CharField(max_length=MAX_NUMBER)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["carrier"].help_text = said(KNOWN, names=", ".join(carrier.name for carrier in CARRIERS))


class SetTracking(OrderDialog):
    name = "tracking"
    title = Text("Указать трек-номер", "Set the tracking number")
    submit = Text("Сохранить", "Save")
    permissions = (CHANGE,)
    form_class = TrackingForm

    @classmethod
    def is_offered(cls, subject: OrderDocument) -> bool:
        return OrderStatus(subject["status"]) in TRACKABLE

    def initial(self) -> dict[str, Any]:
        return dict(self.subject.get("tracking") or {})

    def act(self, form: TrackingForm, actor: Actor) -> None:
        data = form.cleaned_data
        set_tracking(self.object_id, data["carrier"], data["number"], actor=actor, owner=self.subject["owner"])


def letters_of(order: OrderDocument) -> list[tuple[str, str]]:
    """Event and words of each thing that the buyer was to be told of, the newest first."""
    events = {event["id"]: event for event in order.get("events") or ()}
    choices: dict[str, str] = {}
    for letter in order.get("letters") or ():
        if told := events.get(letter["event"]):
            about = event_words(told["type"], told["status"])
            choices[letter["event"]] = f"{about}, {time_text(told['at'])}: {letter_label(letter['state']).text}"
    return list(choices.items())[::-1]
