"""Hinted handoff: whether a node keeps hints for nodes that are down, and for which of them some are waiting."""

from cassandra import DriverException
from cassandra.cluster import NoHostAvailable, Session
from cassandra.pool import Host
from cassandra.protocol import ErrorMessage

ENABLED = "SELECT value FROM system_views.settings WHERE name = 'hinted_handoff_enabled'"
WAITING = "SELECT address, oldest FROM system_views.pending_hints"


def hints(session: Session, host: Host) -> str:
    """The state of this node's hints in words.

    Nodes of the other data centre are not asked: we do not connect to them.
    """
    try:
        enabled = session.execute(ENABLED, host=host).one()
        waiting = list(session.execute(WAITING, host=host))
    except (NoHostAvailable, DriverException, ErrorMessage):
        return "hints not known"
    state = "hints on" if enabled and enabled["value"] == "true" else "hints OFF"
    return ", ".join([state, *(f"for {row['address']} since {row['oldest']:%Y-%m-%d %H:%M} UTC" for row in waiting)])
