"""Entries read as sentences: people, places and things by name, money as money, nothing by its code."""

from typing import Any

import pytest
from django.utils.translation import override
from pymongo.database import Database

from catalog.models import Category, Geozone
from catalog.structure.category_tree import CATEGORIES
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.audit.lines import audit_of, lines_of
from gateway.audit.tests.entries import earlier, entry, write
from gateway.mongo.client import Document


@pytest.fixture(autouse=True)
def shop(database: Database[Document]) -> None:
    make_demo_accounts()
    Geozone.objects.create(code="msk", name="Москва", position=1)
    Category.objects.create(slug="phones", name="Смартфоны", path=[], position=1)
    Category.objects.create(slug="flagships", name="Флагманы", path=["phones"], position=1)
    CATEGORIES.forget()


def person(login: str) -> User:
    return User.objects.get(email=f"{login}@mobile-world.example")


def by_marina(**fields: Any) -> dict[str, Any]:
    marina = person("merchandiser")
    return {"actor_id": str(marina.pk), "actor": marina.email, "source": "admin", **fields}


def told(**fields: Any) -> str:
    (line,) = lines_of([entry(**fields)], reader=person("staff"))
    return str(line)


def test_change_of_a_price_reads_as_a_sentence() -> None:
    fields = by_marina(changes={"base_price": ["25990.00", "23990.00"]}, reason="акция")

    assert told(**fields) == (
        "Марина Товарова (админка): изменён товар PROD-1: цена 25 990,00 ₽ → 23 990,00 ₽; причина: акция"
    )
    with override("en"):
        assert told(**fields) == (
            "Марина Товарова (admin): changed product PROD-1: price 25,990.00 RUB → 23,990.00 RUB; reason: акция"
        )


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"stock.msk": [3, 7]}, "остаток (Москва) 3 → 7"),
        ({"stock.msk": [None, 7]}, "остаток (Москва) 7"),
        ({"stock.gone": [3, 0]}, "остаток (gone) 3 → 0"),
        ({"category": ["phones", "flagships"]}, "категория Смартфоны → Флагманы"),
        ({"withdrawn": [False, True]}, "снят с продажи нет → да"),
        ({"sale_price": ["100.00", None]}, "цена со скидкой 100,00 ₽ → —"),
        ({"attributes": [{"Цвет": "белый"}, {"Цвет": "чёрный"}]}, "характеристики Цвет: белый → Цвет: чёрный"),
        ({"images": [[], [{"url": "/a"}, {"url": "/b"}]]}, "изображения 2 шт."),
        ({"description": ["", "я" * 300]}, f"описание {'я' * 200}…"),
    ],
)
def test_fields_of_a_product_are_named(changes: dict[str, list[Any]], shown: str) -> None:
    assert told(**by_marina(changes=changes)) == f"Марина Товарова (админка): изменён товар PROD-1: {shown}"


@pytest.mark.parametrize(
    ("action", "target", "changes", "shown"),
    [
        ("category.changed", "category:phones", {"position": [1, 2]}, "изменена категория «Смартфоны»: порядок 1 → 2"),
        ("category.added", "category:new", {"path": [None, ["phones"]]}, "добавлена категория new: внутри Смартфоны"),
        ("geozone.changed", "geozone:msk", {"position": [1, 2]}, "изменена геозона «Москва»: порядок 1 → 2"),
        ("order.advanced", "order:O-1", {"status": ["new", "paid"]}, "продвинут заказ O-1: статус новый → оплачен"),
    ],
)
def test_objects_and_their_states_are_named(action: str, target: str, changes: dict[str, Any], shown: str) -> None:
    assert told(**by_marina(action=action, target=target, changes=changes)) == f"Марина Товарова (админка): {shown}"


def test_roles_and_rights_are_named() -> None:
    invited = {"action": "staff.changed", "target": f"staff:{person('support').pk}"}
    rights = {"added": [None, ["ordering.refund_above_limit"]], "removed": [[], None]}

    assert told(**by_marina(**invited, changes={"roles": [["Поддержка"], ["Поддержка", "Аналитики"]]})) == (
        "Марина Товарова (админка): изменена учётная запись сотрудника Сергей Поддержкин: "
        "роли Поддержка → Поддержка, Аналитики"
    )
    line = told(**by_marina(action="role.changed", target="role:Поддержка", changes=rights))
    assert line.startswith("Марина Товарова (админка): изменена роль «Поддержка»: добавлены права ")
    assert "refund_above_limit" not in line


def test_customer_is_named_and_never_by_the_whole_address() -> None:
    customer = person("customer")
    target = {"action": "contacts.shown", "target": f"customer:{customer.pk}"}

    assert told(**by_marina(**target)).endswith("открыты контакты: покупатель Иван Покупатель")
    User.objects.filter(pk=customer.pk).update(name="")
    assert told(**by_marina(**target)).endswith("открыты контакты: покупатель c•••@mobile-world.example")


def test_entry_of_an_earlier_release_is_told_without_a_source() -> None:
    marina = by_marina(changes={"name": ["А", "Б"]})

    (line,) = lines_of([earlier(entry(**marina))], reader=person("staff"))

    assert str(line) == "Марина Товарова (источник не записан): изменён товар PROD-1: название А → Б"
    assert line.step_url == ""


def test_what_a_program_did_and_what_nobody_knows_any_more() -> None:
    assert told(action="stock.reservation_corrected", changes={"reserved.msk": [3, 2]}) == (
        "сверка резервов (система): исправлен резерв товара PROD-1: резерв (Москва) 3 → 2"
    )
    assert told(action="thing.turned", target="thing:T-1", changes={"angle": [1, 2]}) == (
        "сверка резервов (система): thing.turned thing T-1: angle 1 → 2"
    )


def test_renamed_person_is_called_by_the_new_name_with_the_address_of_that_time() -> None:
    fields = by_marina(actor="old@mobile-world.example")
    User.objects.filter(pk=fields["actor_id"]).update(name="Марина Новая")

    (line,) = lines_of([entry(**fields)], reader=person("staff"))

    assert (line.person, line.person_address) == ("Марина Новая", "old@mobile-world.example")


def test_person_who_is_gone_is_called_by_the_address() -> None:
    assert told(actor_id="65f000000000000000000000", actor="gone@example.com").startswith("gone@example.com (система)")


def test_lines_lead_only_where_the_reader_may_go() -> None:
    found = [entry(target="order:X", action="order.noted"), entry(target="product:PROD-1")]

    senior = [line.object_url for line in lines_of(found, reader=person("staff"))]
    nobody = [line.object_url for line in lines_of(found, reader=person("customer"))]

    assert senior == ["/admin/ordering/order/X/change/", "/admin/catalog/product/PROD-1/change/"]
    assert nobody == ["", ""]


def test_page_of_an_object_shows_its_latest_lines_to_those_who_may_read_them() -> None:
    write(*(entry(minute, changes={"position": [minute, minute + 1]}) for minute in range(5)))
    write(entry(9, target="product:OTHER"))

    lines = audit_of("product:PROD-1", 3, reader=person("merchandiser"))

    assert [line.changes[0].after for line in lines] == ["5", "4", "3"]
    assert audit_of("product:PROD-1", 3, reader=person("customer")) == []
