"""All that a job left as it was, for a spreadsheet."""

import csv
import io

from admin_ext.jobs.pages.page import WORDS, shown_remarks
from admin_ext.jobs.remarks import parts_of
from catalog.exchange.cells import harmless
from gateway.domain.texts import Text
from gateway.staff.language import said

REASON = Text("Причина", "Reason")
# By which spreadsheets know the encoding.
MARK = "\ufeff"


def remarks_csv(job_id: str) -> bytes:
    """The remarks in the language of the page, with semicolons, as spreadsheets of this country want them."""
    text = io.StringIO()
    text.write(MARK)
    sheet = csv.writer(text, delimiter=";")
    sheet.writerow([*(said(WORDS[name]) for name in ("product", "what", "now", "wished")), said(REASON)])
    for part in parts_of(job_id):
        for each in shown_remarks(part):
            sheet.writerow(map(harmless, (each.product, each.what, each.now, each.wished, each.reason)))
    return text.getvalue().encode()
