"""Pages of what is no domain's own, for Django's admin to find."""

from admin_ext.customers.admin import CustomerAdmin
from admin_ext.jobs.pages.admin import JobAdmin
from admin_ext.sheets.pages.admin import SheetImportAdmin
from admin_ext.structure.admin import CategoryAdmin

__all__ = ["CategoryAdmin", "CustomerAdmin", "JobAdmin", "SheetImportAdmin"]
