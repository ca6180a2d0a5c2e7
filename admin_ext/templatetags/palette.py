from django import template

from gateway.domain.texts import Text
from gateway.staff.language import said

register = template.Library()

TEXTS = {
    "search": Text("Найти…", "Search…"),
    "label": Text("Поиск по всему", "Search everything"),
    "placeholder": Text(
        "Заказ, телефон, e-mail, имя, артикул, страница", "Order, telephone, e-mail, name, product, page"
    ),
    "keys": Text("↑ ↓ выбрать · Enter открыть · Esc закрыть", "↑ ↓ choose · Enter open · Esc close"),
    "failed": Text("Не получилось: попробуйте ещё раз.", "That failed: try again."),
}


@register.simple_tag
def palette_texts() -> dict[str, str]:
    """The words of the search box, in the language of the page."""
    return {name: said(text) for name, text in TEXTS.items()}
