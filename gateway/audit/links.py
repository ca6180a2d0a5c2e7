"""Ways into the audit from elsewhere."""

from django.urls import reverse
from django.utils.http import urlencode

PAGE = "admin:audit_auditentry_changelist"
# Programs have no account; this stands for all of them.
PROGRAMS = "system"


def audit_url(target: str = "", *, actor: str = "", step: str = "") -> str:
    """The address of what was done to an object (`product:PROD-12345`), by a person (their id), or in one step."""
    kind, _, object_id = target.partition(":")
    query = {"kind": kind, "object": object_id, "person": actor, "step": step}
    given = {name: value for name, value in query.items() if value}
    return f"{reverse(PAGE)}?{urlencode(given)}" if given else reverse(PAGE)
