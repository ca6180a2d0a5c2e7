from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.forms import EmailField
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from gateway.accounts.models import User, normalize_email
from gateway.domain.texts import Text
from gateway.staff.model_admin import StaffAdmin
from gateway.staff.titles import Titles


class NormalizedEmailField(EmailField):
    """Folds case before the uniqueness check, so that a second spelling is a form error, not a database error."""

    def clean(self, value: str) -> str:
        return normalize_email(super().clean(value))


class UserCreation(UserCreationForm):
    email = NormalizedEmailField(label="E-mail")

    class Meta:
        model = User
        fields = ("email",)


class UserChange(UserChangeForm):
    email = NormalizedEmailField(label="E-mail")

    class Meta:
        model = User
        fields = "__all__"


@admin.register(User)
class UserAdmin(DjangoUserAdmin, StaffAdmin):
    titles = Titles(
        several=Text("Сотрудники", "Staff"),
        one=Text("Сотрудник", "Member of staff"),
        new=Text("Новый сотрудник", "New member of staff"),
    )
    form = UserChange
    add_form = UserCreation
    change_password_form = AdminPasswordChangeForm
    ordering = ("email",)
    list_display = ("email", "name", "phone", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_superuser", "is_active", "groups")
    search_fields = ("email", "name", "phone")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("О человеке", {"fields": ("name", "phone")}),
        ("Права", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Даты", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("email", "usable_password", "password1", "password2")}),)


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, StaffAdmin):
    titles = Titles(
        several=Text("Роли", "Roles"),
        one=Text("Роль", "Role"),
        new=Text("Новая роль", "New role"),
    )
