"""A dialog that shows one buyer's contacts to whoever sees them masked, and puts on record that it did."""

from typing import Any

from gateway.accounts.masking import UNMASK_CONTACTS, sees_contacts
from gateway.audit.trail import Action, Actor, record
from gateway.domain.texts import Text
from gateway.mongo.transactions import in_transaction
from gateway.staff.forms import DialogForm
from gateway.staff.language import said
from ordering.admin.dialogs.dialog import OrderDialog
from ordering.lifecycle.audited import target_of

ON_RECORD = Text("Кто и когда открыл контакты, остаётся в журнале.", "Who saw the contacts, and when, stays on record.")


class ShowContacts(OrderDialog):
    name = "contacts"
    title = Text("Показать контакты", "Show the contacts")
    submit = Text("Показать", "Show")
    permissions = (UNMASK_CONTACTS,)
    form_class = DialogForm

    @classmethod
    def is_allowed(cls, user: Any) -> bool:
        return super().is_allowed(user) and not sees_contacts(user)

    def warning(self) -> str:
        return said(ON_RECORD)

    def act(self, form: DialogForm, actor: Actor) -> str:
        target = target_of(self.subject)
        in_transaction(lambda: record(Action.CONTACTS_SHOWN, target, actor=actor, changes={}))
        contact = self.subject["contact"]
        return f"{contact['name']}: {contact['phone']}, {contact['email']}"
