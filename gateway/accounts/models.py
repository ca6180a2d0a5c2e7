"""People who sign in: customers and staff, known by their e-mail address."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import make_password, verify_password
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

from gateway.mongo.client import database

# Longest values, by the standard for addresses and by what a form shows.
LENGTHS = {"email": 254, "name": 150, "phone": 32}


def normalize_email(email: str) -> str:
    """The one spelling of a mailbox: addresses that differ only in case are the same account."""
    return email.strip().casefold()


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=normalize_email(username or ""))

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db, force_insert=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField("e-mail", unique=True, max_length=LENGTHS["email"])
    name = models.CharField("имя", max_length=LENGTHS["name"], blank=True)
    phone = models.CharField("телефон", max_length=LENGTHS["phone"], blank=True)
    is_staff = models.BooleanField("сотрудник", default=False, help_text="Может входить в админку.")
    is_active = models.BooleanField("активен", default=True, help_text="Снимите вместо удаления учётной записи.")
    date_joined = models.DateTimeField("дата регистрации", default=timezone.now)
    session_generation = models.PositiveIntegerField("поколение сеансов", default=0, editable=False)
    """Sessions are bound to it: adding one ends every session of the account, wherever it is kept."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = "пользователь"
        verbose_name_plural = "пользователи"

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        self.email = normalize_email(self.email)

    def check_password(self, raw_password: str) -> bool:
        """Whether the password is right; a hash with older parameters is replaced by the way.

        Two sign-ins that replace it at once both stay signed in.
        """
        right, outdated = verify_password(raw_password, self.password)
        return right and (not outdated or self._hash_anew(raw_password))

    def _hash_anew(self, raw_password: str) -> bool:
        """Replace the hash by one with today's parameters. False: another password was chosen meanwhile."""
        anew = make_password(raw_password)
        seen = {"_id": self.pk, "password": self.password}
        if database()[self._meta.db_table].update_one(seen, {"$set": {"password": anew}}).matched_count:
            self.password = anew
            return True
        self.refresh_from_db(fields=["password"])
        return verify_password(raw_password, self.password)[0]

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Whether the user is staff and has the permission: a group or a superuser's flag gives a customer nothing."""
        return self.is_active and self.is_staff and super().has_perm(perm, obj)

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_staff and super().has_module_perms(app_label)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's session hash, bound to the generation as well.

        `secret`: one of SECRET_KEY_FALLBACKS; None: SECRET_KEY.
        """
        signed_in_under = f"{self.session_generation}:{self.password}"
        return salted_hmac("accounts.User.session", signed_in_under, secret=secret, algorithm="sha256").hexdigest()

    def session_auth_hashes(self) -> list[str]:
        """The hashes that a living session may carry: today's first, then those of earlier secret keys."""
        return [self.get_session_auth_hash(), *self.get_session_auth_fallback_hash()]

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name.split(" ")[0] or self.email


class Customer(User):
    """An account of somebody who buys; the same people as staff see them, apart from the accounts of staff."""

    class Meta:
        proxy = True
        default_permissions = ("view", "change")
        permissions = (
            ("see_contacts", "Видеть телефоны и адреса покупателей"),
            ("unmask_contacts", "Открывать скрытый контакт с записью в журнал"),
            ("export_customer", "Выгружать данные покупателя"),
            ("anonymise_customer", "Обезличивать покупателя"),
        )
        verbose_name = "покупатель"
        verbose_name_plural = "покупатели"
