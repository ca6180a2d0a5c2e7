"""What the audit is called in people's words: kinds of objects, actions, fields, sources and programs. Declared once.

A field that is recorded and not named here is shown by its code: `gateway/audit/tests/test_labels.py` finds it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from gateway.audit.trail import Action, Source
from gateway.domain.texts import Text


class Named(Enum):
    """Codes for which there is a name elsewhere; `gateway.audit.names` asks whoever knows it."""

    ACCOUNT = "account"
    CATEGORY = "category"
    EVENT = "event"
    GEOZONE = "geozone"
    ORDER = "order"
    RIGHT = "right"
    ROLE = "role"
    SYNONYMS = "synonyms"
    STATUS = "status"


class Form(Enum):
    """How a value is written that is no code."""

    TEXT = "text"
    MONEY = "money"
    FLAG = "flag"
    PIECES = "pieces"
    """Product → how many."""
    IMAGES = "images"
    MOMENT = "moment"
    UNSAID = "unsaid"
    """An id that says nothing to people: left out."""


class Field(NamedTuple):
    label: Text
    shown: Named | Form = Form.TEXT


class Kind(NamedTuple):
    """A kind of object that is changed; its code stands before the colon of a target."""

    label: Text
    named: Named | None
    """How its ids become names; None: the id is what people call it."""
    page: str
    """The admin's name for the page of one of them, without `_change`."""
    permission: str
    """Whoever may open that page."""
    is_opened: bool = True
    """Whether its id in the trail is the one in the address of its page; a role is recorded by its name."""


class Told(NamedTuple):
    """What an action is called."""

    name: Text
    """In a list to choose from, beside others of its kind."""
    line: Text
    """In a line that tells of it. Without the gender of whoever did it, which no account tells."""


KINDS: Mapping[str, Kind] = {
    "order": Kind(Text("заказ", "order"), Named.ORDER, "ordering_order", "ordering.view_order"),
    "product": Kind(Text("товар", "product"), None, "catalog_product", "catalog.view_product"),
    "category": Kind(Text("категория", "category"), Named.CATEGORY, "catalog_category", "catalog.view_category"),
    "geozone": Kind(Text("геозона", "geozone"), Named.GEOZONE, "catalog_geozone", "catalog.view_geozone"),
    "synonyms": Kind(
        Text("синонимы поиска", "synonyms of the search"),
        Named.SYNONYMS,
        "catalog_synonymgroup",
        "catalog.view_synonymgroup",
    ),
    "customer": Kind(Text("покупатель", "customer"), Named.ACCOUNT, "accounts_customer", "accounts.view_customer"),
    "staff": Kind(Text("сотрудник", "member of staff"), Named.ACCOUNT, "accounts_user", "accounts.view_user"),
    "role": Kind(Text("роль", "role"), Named.ROLE, "auth_group", "auth.view_group", is_opened=False),
    "stray_money": Kind(
        Text("деньги без заказа", "money without an order"), None, "ordering_straymoney", "ordering.view_order"
    ),
}

ACTIONS: Mapping[Action, Told] = {
    Action.PRODUCT_ADDED: Told(Text("добавление", "added"), Text("добавлен товар {object}", "added product {object}")),
    Action.PRODUCT_CHANGED: Told(
        Text("изменение", "changed"), Text("изменён товар {object}", "changed product {object}")
    ),
    Action.STOCK_ADJUSTED: Told(
        Text("изменение остатка", "stock adjusted"),
        Text("изменён остаток товара {object}", "adjusted the stock of {object}"),
    ),
    Action.DISCOUNT_PLANNED: Told(
        Text("скидка запланирована", "discount planned"),
        Text("запланирована скидка на товар {object}", "planned a discount on {object}"),
    ),
    Action.DISCOUNT_CANCELLED: Told(
        Text("скидка отменена", "discount cancelled"),
        Text("отменена скидка на товар {object}", "cancelled a discount on {object}"),
    ),
    Action.DISCOUNT_LEFT: Told(
        Text("скидка не тронула цену", "discount left the price"),
        Text("запланированная скидка оставила цену товара {object}", "a planned discount left the price of {object}"),
    ),
    Action.RESERVATION_CORRECTED: Told(
        Text("исправление резерва", "reservation corrected"),
        Text("исправлен резерв товара {object}", "corrected the reservation of {object}"),
    ),
    Action.CATEGORY_ADDED: Told(
        Text("добавление", "added"), Text("добавлена категория {object}", "added category {object}")
    ),
    Action.CATEGORY_CHANGED: Told(
        Text("изменение", "changed"), Text("изменена категория {object}", "changed category {object}")
    ),
    Action.CATEGORY_DELETED: Told(
        Text("удаление", "deleted"), Text("удалена категория {object}", "deleted category {object}")
    ),
    Action.GEOZONE_ADDED: Told(
        Text("добавление", "added"), Text("добавлена геозона {object}", "added geozone {object}")
    ),
    Action.GEOZONE_CHANGED: Told(
        Text("изменение", "changed"), Text("изменена геозона {object}", "changed geozone {object}")
    ),
    Action.GEOZONE_DELETED: Told(
        Text("удаление", "deleted"), Text("удалена геозона {object}", "deleted geozone {object}")
    ),
    Action.SYNONYMS_ADDED: Told(
        Text("добавление", "added"), Text("добавлены синонимы {object}", "added synonyms {object}")
    ),
    Action.SYNONYMS_CHANGED: Told(
        Text("изменение", "changed"), Text("изменены синонимы {object}", "changed synonyms {object}")
    ),
    Action.SYNONYMS_DELETED: Told(
        Text("удаление", "deleted"), Text("удалены синонимы {object}", "deleted synonyms {object}")
    ),
    Action.ORDER_ADVANCED: Told(
        Text("смена статуса", "advanced"), Text("продвинут заказ {object}", "advanced order {object}")
    ),
    Action.ORDER_CANCELLED: Told(
        Text("отмена", "cancelled"), Text("отменён заказ {object}", "cancelled order {object}")
    ),
    Action.ORDER_REFUNDED: Told(
        Text("возврат", "refunded"), Text("оформлен возврат по заказу {object}", "refunded on order {object}")
    ),
    Action.ORDER_REPAID: Told(
        Text("выплата долга", "paid back"),
        Text("выплачен долг по заказу {object}", "paid back what was due on order {object}"),
    ),
    Action.ORDER_PAYMENT_RECORDED: Told(
        Text("платёж вручную", "payment recorded"),
        Text("записан платёж по заказу {object}", "recorded a payment of order {object}"),
    ),
    Action.ORDER_DETAILS_CHANGED: Told(
        Text("изменение данных", "details changed"),
        Text("изменены данные заказа {object}", "changed the details of order {object}"),
    ),
    Action.ORDER_GEOZONE_CHANGED: Told(
        Text("смена геозоны", "geozone changed"),
        Text("перенесён в другую геозону заказ {object}", "moved order {object}"),
    ),
    Action.ORDER_NOTED: Told(Text("заметка", "noted"), Text("заметка к заказу {object}", "noted on order {object}")),
    Action.ORDER_LETTER_RESENT: Told(
        Text("повтор письма", "letter resent"),
        Text("повторено письмо по заказу {object}", "sent a letter of order {object} again"),
    ),
    Action.ORDER_TRACKED: Told(
        Text("трек-номер", "tracked"),
        Text("указан трек-номер заказа {object}", "gave the tracking number of order {object}"),
    ),
    Action.STRAY_MONEY_SETTLED: Told(
        Text("разбор", "settled"), Text("разобраны деньги без заказа {object}", "settled stray money {object}")
    ),
    Action.CUSTOMER_NOTED: Told(
        Text("заметка", "noted"), Text("заметка о покупателе {object}", "noted on customer {object}")
    ),
    Action.CUSTOMER_DEACTIVATED: Told(
        Text("закрытие входа", "deactivated"), Text("закрыт вход покупателю {object}", "deactivated customer {object}")
    ),
    Action.CUSTOMER_ACTIVATED: Told(
        Text("открытие входа", "activated"), Text("открыт вход покупателю {object}", "activated customer {object}")
    ),
    Action.CUSTOMER_SIGNED_OUT: Told(
        Text("выход отовсюду", "signed out"),
        Text("завершены все сеансы покупателя {object}", "signed customer {object} out"),
    ),
    Action.CUSTOMER_EXPORTED: Told(
        Text("выгрузка данных", "exported"),
        Text("выгружены данные покупателя {object}", "exported the data of customer {object}"),
    ),
    Action.CUSTOMER_ANONYMISED: Told(
        Text("обезличивание", "anonymised"), Text("обезличен покупатель {object}", "anonymised customer {object}")
    ),
    Action.CONTACTS_SHOWN: Told(
        Text("показ контактов", "contacts unmasked"),
        Text("открыты контакты: {kind} {object}", "unmasked the contacts: {kind} {object}"),
    ),
    Action.CART_RESTORED: Told(
        Text("восстановление корзины", "cart restored"),
        Text("восстановлена корзина покупателя {object}", "restored a cart of customer {object}"),
    ),
    Action.STAFF_INVITED: Told(
        Text("приглашение", "invited"), Text("приглашён сотрудник {object}", "invited {object}")
    ),
    Action.STAFF_CHANGED: Told(
        Text("изменение", "changed"),
        Text("изменена учётная запись сотрудника {object}", "changed the account of {object}"),
    ),
    Action.STAFF_SIGNED_OUT: Told(
        Text("выход отовсюду", "signed out"), Text("завершены все сеансы сотрудника {object}", "signed {object} out")
    ),
    Action.STAFF_PASSWORD_RESET: Told(
        Text("сброс пароля", "password reset"),
        Text("сброшен пароль сотрудника {object}", "reset the password of {object}"),
    ),
    Action.STAFF_SECOND_FACTOR_CHANGED: Told(
        Text("второй фактор", "second factor"),
        Text("изменён второй фактор сотрудника {object}", "changed the second factor of {object}"),
    ),
    Action.ROLE_CHANGED: Told(Text("изменение", "changed"), Text("изменена роль {object}", "changed role {object}")),
}

# Actions whose code does not begin with the kind of object that they are done to.
_KIND_OF: Mapping[Action, str] = {
    Action.STOCK_ADJUSTED: "product",
    Action.DISCOUNT_PLANNED: "product",
    Action.DISCOUNT_CANCELLED: "product",
    Action.DISCOUNT_LEFT: "product",
    Action.RESERVATION_CORRECTED: "product",
    Action.CONTACTS_SHOWN: "customer",
    Action.CART_RESTORED: "customer",
}

FIELDS: Mapping[str, Field] = {
    "name": Field(Text("название", "name")),
    "customer.name": Field(Text("имя", "name")),
    "staff.name": Field(Text("имя", "name")),
    "category": Field(Text("категория", "category"), Named.CATEGORY),
    "path": Field(Text("внутри", "within"), Named.CATEGORY),
    "position": Field(Text("порядок", "position")),
    "hidden": Field(Text("скрыта от покупателей", "hidden from buyers"), Form.FLAG),
    "low_at": Field(Text("мало — от, шт.", "low from, pieces")),
    "merging_into": Field(Text("объединяется с", "being merged into"), Named.CATEGORY),
    "merged_into": Field(Text("объединена с", "merged into"), Named.CATEGORY),
    "words": Field(Text("слова", "words")),
    "description": Field(Text("описание", "description")),
    "base_price": Field(Text("цена", "price"), Form.MONEY),
    "sale_price": Field(Text("цена со скидкой", "sale price"), Form.MONEY),
    "discount_price": Field(Text("цена со скидкой", "sale price"), Form.MONEY),
    "discount_percent": Field(Text("скидка, %", "discount, %")),
    "discount_from": Field(Text("с", "from"), Form.MOMENT),
    "discount_until": Field(Text("до", "until"), Form.MOMENT),
    "attributes": Field(Text("характеристики", "attributes")),
    "images": Field(Text("изображения", "images"), Form.IMAGES),
    "withdrawn": Field(Text("снят с продажи", "withdrawn"), Form.FLAG),
    "stock": Field(Text("остаток", "stock")),
    "reserved": Field(Text("резерв", "reserved")),
    "status": Field(Text("статус", "status"), Named.STATUS),
    "geozone": Field(Text("геозона", "geozone"), Named.GEOZONE),
    "contact_name": Field(Text("имя", "name")),
    "contact_email": Field(Text("e-mail", "e-mail")),
    "contact_phone": Field(Text("телефон", "telephone")),
    "address_city": Field(Text("город", "city")),
    "address_street": Field(Text("улица", "street")),
    "address_postcode": Field(Text("индекс", "postcode")),
    "address_comment": Field(Text("комментарий к адресу", "comment on the address")),
    "tracking": Field(Text("трек-номер", "tracking number")),
    "paid": Field(Text("оплачено", "paid"), Form.MONEY),
    "refunded": Field(Text("возвращено", "refunded"), Form.MONEY),
    "due_back": Field(Text("вернуть", "due back"), Form.MONEY),
    "refunded_pieces": Field(Text("возвращено штук", "refunded pieces"), Form.PIECES),
    "reference": Field(Text("номер операции", "reference")),
    "note": Field(Text("заметка", "note")),
    "customer.note": Field(Text("заметка", "note"), Form.UNSAID),
    "letter": Field(Text("письмо", "letter"), Named.EVENT),
    "to": Field(Text("кому", "to")),
    "settled_by": Field(Text("кто разобрал", "settled by")),
    "settled_reference": Field(Text("номер операции", "reference")),
    "is_active": Field(Text("вход открыт", "active"), Form.FLAG),
    "is_staff": Field(Text("сотрудник", "staff"), Form.FLAG),
    "is_superuser": Field(Text("все права", "all rights"), Form.FLAG),
    "email": Field(Text("e-mail", "e-mail")),
    "phone": Field(Text("телефон", "telephone")),
    "groups": Field(Text("роли", "roles"), Named.ROLE),
    "roles": Field(Text("роли", "roles"), Named.ROLE),
    "added": Field(Text("добавлены права", "rights added"), Named.RIGHT),
    "removed": Field(Text("убраны права", "rights removed"), Named.RIGHT),
    "sessions": Field(Text("сеансов", "sessions")),
    "second_factor": Field(Text("второй фактор", "second factor"), Form.FLAG),
    "guests": Field(Text("вместе с заказами гостя", "with a guest's orders"), Form.FLAG),
    "cart": Field(Text("корзина", "cart"), Form.UNSAID),
    "lines": Field(Text("строк в корзине", "lines in the cart")),
}

SOURCES: Mapping[str, Text] = {
    Source.ADMIN.value: Text("админка", "admin"),
    Source.API.value: Text("API", "API"),
    Source.IMPORT.value: Text("импорт", "import"),
    Source.SYSTEM.value: Text("система", "system"),
}

PROGRAMS: Mapping[str, Text] = {
    "stock_drift": Text("сверка резервов", "the check of reservations"),
    "discounts": Text("расписание скидок", "the schedule of discounts"),
    "import": Text("импорт", "the import"),
    "roles": Text("команда roles", "the command «roles»"),
    "load_demo": Text("команда load_demo", "the command «load_demo»"),
}


def kind_of(action: Action) -> str:
    """The code of the kind of object that the action is done to."""
    return _KIND_OF.get(action) or action.value.partition(".")[0]


def actions_of(kind: str) -> list[Action]:
    return [action for action in Action if kind_of(action) == kind]


def field_of(kind: str, name: str) -> Field | None:
    """How a field of such an object is called and shown; of `stock.msk`, its part before the point."""
    return FIELDS.get(f"{kind}.{name}") or FIELDS.get(name) or FIELDS.get(name.partition(".")[0])


def kind_on_page(page: str) -> str | None:
    """The code of the kind of object that a page of the admin is about; None: of none that is ever recorded."""
    return next((code for code, kind in KINDS.items() if kind.page == page), None)
