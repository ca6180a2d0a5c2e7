"""What every dialog about one product has in common."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib.admin.utils import quote
from django.urls import reverse

from catalog.documents import ProductDocument
from catalog.products.cards import product_for_staff
from gateway.domain.texts import Text
from gateway.mongo.reads import run_steps
from gateway.staff.forms import ActionDialog, DialogForm
from gateway.staff.language import said

CHANGE, CHANGE_STOCK = "catalog.change_product", "catalog.change_stocklevel"
REASON = Text("Причина", "Reason")
REASON_HELP = Text("Останется в истории товара.", "Stays in the history of the product.")
# As much as the audit takes, with room for what a page says before it.
MAX_REASON = 400


class ProductDialog(ActionDialog):
    """A dialog whose subject is the product as it stands on the primary."""

    subject: ProductDocument
    page: str
    """Where the person comes from and returns to: one of the product's pages."""

    def find(self, object_id: str) -> ProductDocument | None:
        return run_steps(product_for_staff(object_id))

    def address_after(self) -> str:
        return product_page(self.page, self.object_id)


class LabelledForm(DialogForm):
    """A form whose fields are named by `labels`, in the language of the page."""

    labels: ClassVar[Mapping[str, Text]] = {}
    helps: ClassVar[Mapping[str, Text]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels, helps = {"reason": REASON, **self.labels}, {"reason": REASON_HELP, **self.helps}
        for name, field in self.fields.items():
            field.label = said(labels[name]) if name in labels else field.label
            field.help_text = said(helps[name]) if name in helps else field.help_text


def product_page(page: str, product_id: str) -> str:
    """The address of one of the product's pages: `change`, `preview`, `discounts`, `history`, or a dialog."""
    return reverse(f"admin:catalog_product_{page}", args=[quote(product_id)])
