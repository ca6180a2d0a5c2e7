"""A dialog: one action on one object, refused beside its fields, done once however often it is sent."""

import re
from collections.abc import Iterator
from html import unescape
from threading import Event
from typing import Any, ClassVar

import pytest
from django import forms
from django.http import HttpRequest
from django.test import Client
from django.urls import path
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.tests.demo import make_demo_accounts
from gateway.audit.trail import Actor
from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.texts import Text
from gateway.idempotency import submissions
from gateway.mongo.client import Document
from gateway.staff.forms import ActionDialog, DialogForm, WithDialogs
from gateway.staff.model_admin import StaffAdmin
from gateway.staff.money import MoneyField
from gateway.staff.site import StaffSite
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once
from gateway.tests.samples.models import Gadget

pytestmark = pytest.mark.urls(__name__)

DIALOG = "/admin/samples/gadget/G-1/reprice/"
PAGE = "/admin/samples/gadget/G-1/change/"


class TooDear(DomainError):
    code = Code.INVALID
    text = Text("Слишком дорого.", "Too dear.")


class TooShort(DomainError):
    code = Code.INVALID
    text = Text("Причина слишком короткая.", "The reason is too short.")


class Sold(DomainError):
    code = Code.CONFLICT
    text = Text("Уже продан.", "It is sold.")


class RepriceForm(DialogForm):
    price = MoneyField(label="Цена")
    reason = forms.CharField(label="Причина", required=False)
    loud = forms.BooleanField(label="Громко", required=False)


class Reprice(ActionDialog):
    name = "reprice"
    title = Text("Новая цена", "New price")
    submit = Text("Назначить", "Set")
    permissions = ("catalog.change_product",)
    form_class = RepriceForm

    done: ClassVar[list[tuple[str, str, str]]] = []
    enough: ClassVar[Event] = Event()

    def act(self, form: Any, actor: Actor) -> Text:
        given = form.cleaned_data
        match given["reason"]:
            case "two":
                raise Refused([TooDear("price"), TooShort("reason", 0, "text"), Sold(), TooDear("nowhere")])
            case "dies":
                raise RuntimeError("the process dies")
            case "slow":
                self.enough.wait(20)
        self.done.append((self.object_id, str(given["price"]), actor.name))
        return Text("Цена назначена.", "The price is set.")

    def initial(self) -> dict[str, Any]:
        return {"price": self.subject.price}

    def explained(self) -> str:
        return f"Что будет с «{self.subject.name}»."


class GadgetAdmin(WithDialogs, StaffAdmin):
    dialogs = (Reprice,)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Gadget | None:
        return Gadget.objects.filter(id=object_id).first()


# A site of its own: the real one knows no gadgets.
desk = StaffSite()
desk.register(Gadget, GadgetAdmin)
urlpatterns = [path("admin/", desk.urls)]


@pytest.fixture
def merchandiser(database: Database[Document], settings: Settings) -> Iterator[Client]:
    settings.UNFOLD = {}  # sidebar and languages of the shop lead to pages that this site has not
    make_demo_accounts()
    Gadget.objects.create(id="G-1", category="audio", name="Наушники", price="100.00")
    Reprice.done.clear()
    Reprice.enough.clear()
    yield signed_in("merchandiser")
    database["sample_gadgets"].delete_many({})


def text(page: Any) -> str:
    return unescape(str(page.content, "utf-8"))


def key_in(page: Any) -> str:
    found = re.search(r'name="key" value="([^"]+)"', text(page))
    assert found is not None
    return found[1]


def told(page: Any) -> list[str]:
    return [str(message) for message in page.context["messages"]]


def test_form_is_shown_with_what_will_happen_and_a_way_back(merchandiser: Client) -> None:
    page = merchandiser.get(DIALOG)

    assert page.status_code == 200
    assert "Что будет с «Наушники»." in text(page)
    assert 'value="100,00"' in text(page)
    assert f'href="{PAGE}"' in text(page)
    assert len(key_in(page)) == 32
    assert key_in(merchandiser.get(DIALOG)) != key_in(page)


def test_action_is_done_by_the_person_and_leads_back_with_a_message(merchandiser: Client) -> None:
    done = merchandiser.post(DIALOG, {"price": "1 250,5", "key": key_in(merchandiser.get(DIALOG))})

    assert (done.status_code, done["Location"]) == (302, PAGE)
    assert Reprice.done == [("G-1", "1250.50", "merchandiser@mobile-world.example")]
    assert told(merchandiser.get(DIALOG)) == ["Цена назначена."]


def test_bad_input_and_every_refusal_stand_beside_their_fields_and_nothing_is_lost(merchandiser: Client) -> None:
    bad = merchandiser.post(DIALOG, {"price": "много", "reason": "долго писал", "key": "k"})
    assert bad.context["form"].errors == {"price": ["Укажите сумму цифрами, например 25 990,50."]}
    assert 'value="долго писал"' in text(bad)

    refused = merchandiser.post(DIALOG, {"price": "7", "reason": "two", "loud": "on", "key": "k"})
    assert refused.status_code == 200
    assert refused.context["form"].errors == {
        "price": ["Слишком дорого."],
        "reason": ["Причина слишком короткая."],
        "__all__": ["Уже продан.", "Слишком дорого."],
    }
    for kept in ('value="7"', 'value="two"', "checked", 'name="key" value="k"'):
        assert kept in text(refused)
    assert Reprice.done == []


def test_refused_form_is_corrected_and_sent_with_its_key(merchandiser: Client) -> None:
    merchandiser.post(DIALOG, {"price": "7", "reason": "two", "key": "k"})

    assert merchandiser.post(DIALOG, {"price": "7", "reason": "ok", "key": "k"}).status_code == 302
    assert len(Reprice.done) == 1


@pytest.mark.parametrize(("login", "status"), [("support", 403), ("customer", 302), ("nobody", 302)])
def test_others_are_kept_out(merchandiser: Client, login: str, status: int) -> None:
    browser = signed_in(login)

    assert browser.get(DIALOG).status_code == status
    assert browser.post(DIALOG, {"price": "7", "key": "k"}).status_code == status
    assert Reprice.done == []


def test_object_that_is_not_there_is_404(merchandiser: Client) -> None:
    assert merchandiser.get("/admin/samples/gadget/G-404/reprice/").status_code == 404


def test_form_without_a_valid_token_is_refused(merchandiser: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = merchandiser.cookies

    assert strict.post(DIALOG, {"price": "7", "key": "k"}).status_code == 403
    assert Reprice.done == []


def test_two_clicks_are_one_action(merchandiser: Client) -> None:
    form = {"price": "7", "reason": "slow", "key": "k"}

    def click() -> Any:
        return signed_in("merchandiser").post(DIALOG, form)

    Reprice.enough.set()
    pages = at_once(*[click] * 4)

    assert [page.status_code for page in pages] == [302] * 4
    assert len(Reprice.done) == 1


def test_repeated_later_it_says_that_it_is_done(merchandiser: Client) -> None:
    form = {"price": "7", "key": "k"}
    merchandiser.post(DIALOG, form)
    merchandiser.get(DIALOG)

    assert merchandiser.post(DIALOG, form).status_code == 302
    assert told(merchandiser.get(DIALOG)) == ["Эта форма уже отправлена: всё сделано."]
    assert len(Reprice.done) == 1


def test_back_other_input_and_send_asks_and_then_does_both(merchandiser: Client) -> None:
    merchandiser.post(DIALOG, {"price": "7", "key": "k"})

    asked = merchandiser.post(DIALOG, {"price": "8", "key": "k"})
    assert "уже отправлена с другими данными" in text(asked)
    assert 'value="8"' in text(asked)
    assert len(Reprice.done) == 1

    assert merchandiser.post(DIALOG, {"price": "8", "key": key_in(asked)}).status_code == 302
    assert [price for _, price, _ in Reprice.done] == ["7.00", "8.00"]


def test_after_a_crash_the_person_is_told_to_look_first(merchandiser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "PATIENCE", 0.2)
    form = {"price": "7", "reason": "dies", "key": "k"}
    with pytest.raises(RuntimeError):
        merchandiser.post(DIALOG, form)

    asked = merchandiser.post(DIALOG, form)

    assert "неизвестно, чем кончилось" in text(asked)
    assert key_in(asked) != "k"
    assert merchandiser.post(DIALOG, {"price": "7", "key": key_in(asked)}).status_code == 302
    assert len(Reprice.done) == 1


def test_the_same_key_of_another_person_is_another(merchandiser: Client) -> None:
    for login in ("merchandiser", "staff"):
        assert signed_in(login).post(DIALOG, {"price": "7", "key": "k"}).status_code == 302

    assert len(Reprice.done) == 2


@pytest.mark.parametrize("key", ["", "\u200b", "x" * 33])
def test_form_without_a_key_or_with_nonsense_for_one_does_no_harm(merchandiser: Client, key: str) -> None:
    page = merchandiser.post(DIALOG, {"price": "7", "key": key})

    assert page.status_code in {200, 302}
    assert len(Reprice.done) == (1 if page.status_code == 302 else 0)
