"""Pages of accounts: staff and their roles. Customers are in admin_ext/customers, which knows what they bought."""

from gateway.accounts.admin.roles import GroupAdmin
from gateway.accounts.admin.staff import StaffMemberAdmin

__all__ = ["GroupAdmin", "StaffMemberAdmin"]
