"""The words of the pages' own headings, fields and buttons."""

from gateway.domain.texts import Text
from gateway.staff.language import said

_WORDS: dict[str, Text] = {
    "number": Text("Номер", "Number"),
    "time": Text("Время", "Time"),
    "total": Text("Сумма", "Total"),
    "can_be_found_by": Text(
        "Искать можно по номеру заказа, e-mail, телефону в любом виде, последним четырём цифрам телефона с именем,"
        " имени, id покупателя, артикулу товара и номеру платежа. Фильтры действуют и на поиск.",
        "You can search by order number, e-mail, telephone in any spelling, its last four digits with a name, name,"
        " id of the customer, id of a product, and reference of a payment. Filters hold for the search too.",
    ),
    "incomplete": Text(
        "Архив сейчас недоступен: старых заказов в списке нет.",
        "The archive is away for the moment: old orders are missing.",
    ),
    "archived": Text(
        "Заказ в архиве: он показан как есть, изменить его нельзя.", "The order is archived: it is shown as it is."
    ),
    "made": Text("Оформлен", "Placed"),
    "reserved": Text("Резерв до", "Reserved until"),
    "lines": Text("Товары", "Goods"),
    "product": Text("Товар", "Product"),
    "price": Text("Цена", "Price"),
    "quantity": Text("Кол-во", "Qty"),
    "refunded_pieces": Text("Возвращено", "Refunded"),
    "sum": Text("Сумма", "Sum"),
    "money": Text("Деньги", "Money"),
    "paid": Text("Оплачено", "Paid"),
    "refunded": Text("Возвращено", "Refunded"),
    "due_back": Text("Вернуть", "Due back"),
    "kind": Text("Вид", "Kind"),
    "state": Text("Состояние", "State"),
    "amount": Text("Сумма", "Amount"),
    "reference": Text("Номер", "Reference"),
    "who": Text("Кто", "Who"),
    "settle": Text("Отметить выплату", "Record a repayment"),
    "no_money": Text("Денег ещё не было.", "No money has come."),
    "timeline": Text("История", "Timeline"),
    "resend": Text("Отправить ещё раз", "Send once more"),
    "delivery": Text("Получатель и доставка", "Contact and delivery"),
    "name": Text("Получатель", "Name"),
    "phone": Text("Телефон", "Telephone"),
    "address": Text("Адрес", "Address"),
    "tracking": Text("Трек-номер", "Tracking"),
    "customer": Text("Покупатель", "Customer"),
    "account": Text("Учётная запись", "Account"),
    "orders": Text("Заказов", "Orders"),
    "related": Text("Другие заказы", "Other orders"),
    "no_related": Text("Других заказов нет.", "There are no others."),
    "same": Text("совпадает", "in common"),
    "copy": Text("Копия в Cassandra", "Copy in Cassandra"),
    "version": Text("Версия", "Version"),
    "copied": Text("Скопирована", "Copied"),
    "behind": Text("Отстаёт с", "Behind since"),
    "in_step": Text("не отстаёт", "in step"),
    "error": Text("Ошибка", "Error"),
    "outcome": Text("Итог", "Outcome"),
    "back_to_list": Text("Вернуться к списку", "Back to the list"),
}


def page_words() -> dict[str, str]:
    """All of them in the language of the page."""
    return {name: said(text) for name, text in _WORDS.items()}
