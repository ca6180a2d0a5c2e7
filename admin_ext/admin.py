"""Pages of what is no domain's own, for Django's admin to find."""

from admin_ext.customers.admin import CustomerAdmin

__all__ = ["CustomerAdmin"]
