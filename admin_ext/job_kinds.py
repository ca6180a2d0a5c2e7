"""Every kind of job there is."""

from admin_ext.jobs.kinds import JobKind

_KINDS: tuple[JobKind, ...] = ()

KINDS = {kind.code: kind for kind in _KINDS}
