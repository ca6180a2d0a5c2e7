"""The actions on one order as dialogs, in the order in which their buttons stand."""

from gateway.staff.forms import ActionDialog
from ordering.admin.dialogs.contacts import ShowContacts
from ordering.admin.dialogs.details import AddNote, EditDetails, MoveToGeozone, ResendLetter, SetTracking
from ordering.admin.dialogs.lines import CancelPaid, RefundLines
from ordering.admin.dialogs.money import RecordPayment, RefundAmount, Settle
from ordering.admin.dialogs.moves import CancelUnpaid, Deliver, Pack, Ship

# What an order waits for, as a rule.
STEPS = (Pack, Ship, Deliver, Settle)
DIALOGS: tuple[type[ActionDialog], ...] = (
    *STEPS,
    *(RecordPayment, SetTracking, EditDetails, MoveToGeozone),
    *(ShowContacts, AddNote, ResendLetter, RefundLines, RefundAmount, CancelUnpaid, CancelPaid),
)
