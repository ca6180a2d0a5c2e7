"""Every kind of job there is."""

from admin_ext.bulk.kinds import BULK_CHANGE_KIND, UNDO_KIND
from admin_ext.jobs.kinds import JobKind
from admin_ext.sheets.check import CHECK_KIND
from admin_ext.sheets.export import EXPORT_KIND
from admin_ext.sheets.load import LOAD_KIND
from admin_ext.structure.jobs import CATEGORY_MERGE, CATEGORY_THRESHOLDS

_KINDS: tuple[JobKind, ...] = (
    BULK_CHANGE_KIND,
    UNDO_KIND,
    CHECK_KIND,
    LOAD_KIND,
    EXPORT_KIND,
    CATEGORY_MERGE,
    CATEGORY_THRESHOLDS,
)

KINDS = {kind.code: kind for kind in _KINDS}
