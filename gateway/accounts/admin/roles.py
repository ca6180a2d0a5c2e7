"""The roles as staff see them: they come from gateway/accounts/roles.py, so that nobody edits them here."""

import django.contrib.auth.admin  # noqa: F401 - registers the page that is replaced below
from django.contrib import admin
from django.contrib.auth.models import Group
from django.utils.html import format_html_join

from gateway.domain.texts import Text
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    titles = Titles(several=Text("Роли", "Roles"), one=Text("Роль", "Role"))
    list_display = ("name",)
    ordering = ("name",)
    fields = ("name", "rights")

    @admin.display(description="права")
    def rights(self, group: Group) -> str:
        names = group.permissions.order_by("codename").values_list("name", "codename")
        return format_html_join("", "<div>{} ({})</div>", names)
