"""People who sign in: customers and staff, known by their e-mail address; and the collections beside them."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import make_password, verify_password
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django_mongodb_backend.fields import ArrayField, ObjectIdAutoField

from gateway.domain.contacts import name_words, phone_digits
from gateway.mongo.client import database
from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument

# Longest values, by the standard for addresses and by what a form shows.
LENGTHS = {"email": 254, "name": 150, "phone": 32}


def normalize_email(email: str) -> str:
    """The one spelling of a mailbox: addresses that differ only in case are the same account."""
    return email.strip().casefold()


def contact_keys(*, name: str, phone: str) -> list[str]:
    """What an account is found by besides its address and id: one array of keys, each marked by its kind."""
    digits = phone_digits(phone)
    return [*([f"phone:{digits}"] if digits else []), *(f"name:{word}" for word in name_words(name))]


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
    keys = ArrayField(models.CharField(max_length=200), default=list, blank=True, editable=False)
    """What staff find it by, see `contact_keys`; written with every save."""
    invited_at = models.DateTimeField("приглашён", null=True, blank=True, editable=False)
    """When a member of staff was last invited; null once the invitation was accepted."""
    second_factor_at = models.DateTimeField("второй фактор с", null=True, blank=True, editable=False)
    """Since when a code is asked after the password; null: it is not. The rest is in `SecondFactor`."""
    anonymised_at = models.DateTimeField("обезличен", null=True, blank=True, editable=False)
    email_confirmed_at = models.DateTimeField("адрес подтверждён", null=True, blank=True, editable=False)
    """When the owner last followed a link sent to the address; null: nobody knows whose the address is."""
    new_email = models.EmailField("новый e-mail", max_length=LENGTHS["email"], blank=True, editable=False)
    """The address that is to take effect once it is confirmed; empty: none."""

    passed_second_factor = True
    """Whether the session under which the account was found may use its rights; no field: it is the session's."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = "сотрудник"
        verbose_name_plural = "сотрудники"
        indexes = (
            # Everybody who signs in. The backend makes a unique index partial, by type, which serves no search.
            models.Index(fields=["email"], name="accounts_by_email"),
            # Customers, and apart from them staff: newest first, all or those with a key.
            models.Index(fields=["is_staff", "-date_joined", "-id"], name="accounts_newest"),
            models.Index(fields=["is_staff", "keys", "-date_joined", "-id"], name="accounts_by_key"),
        )

    def __str__(self) -> str:
        return self.email

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        self.keys = contact_keys(name=self.name, phone=self.phone)
        if update_fields is not None:
            update_fields = {*update_fields, "keys"}
        super().save(*args, update_fields=update_fields, **kwargs)

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
        """Whether the user is staff and has the permission: a group or a superuser's flag gives a customer nothing.

        Under a session that has not passed the second factor, which the account has or must have, nobody has any.
        """
        return self.is_active and self.is_staff and self.passed_second_factor and super().has_perm(perm, obj)

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_staff and self.passed_second_factor and super().has_module_perms(app_label)

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


class CustomerNote(models.Model):
    """What staff noted about a customer, for colleagues only."""

    id = ObjectIdAutoField(primary_key=True, db_column="_id")
    user_id = models.CharField("покупатель", max_length=32)
    at = models.DateTimeField("когда")
    actor = models.CharField("кто", max_length=254)
    text = models.CharField("заметка", max_length=2000)
    key = models.CharField(max_length=36, editable=False)
    """Made with the form: sent twice, it is one note."""

    collection: ClassVar[Collection] = Collection(
        indexes=(Index({"user_id": 1, "at": -1}), Index({"user_id": 1, "key": 1}, unique=True))
    )

    class Meta:
        managed = False
        db_table = "customer_notes"
        default_permissions = ()

    def __str__(self) -> str:
        return self.text


class Anonymisation(models.Model):
    """An anonymising under way: what is still to be taken out of orders and their copies. Deleted once it is done."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    """The account's."""
    since = models.DateTimeField()
    due = models.DateTimeField()
    """From when on a sweep may go on with it."""
    contacts = models.JSONField()
    """What the account had: {email, phone, name}."""
    guests = models.BooleanField()
    """Whether orders of guests under the same address are meant too."""

    collection: ClassVar[Collection] = Collection(indexes=(Index({"due": 1}),))

    class Meta:
        managed = False
        db_table = "anonymisations"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class AccountLetter(ShardedDocument):
    """A letter to be sent about an account, see gateway/accounts/own/letters.py. Deleted once it is sent."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    """Begins with the moment at which it was written down."""
    kind = models.CharField(max_length=16)
    to = models.CharField(max_length=LENGTHS["email"])
    """Of a letter about a password an address that may be nobody's."""
    user_id = models.CharField(max_length=32, null=True)  # noqa: DJ001 - null: found by the address
    about = models.CharField(max_length=LENGTHS["email"])
    language = models.CharField(max_length=2)
    at = models.DateTimeField()
    due = models.DateTimeField()
    """From when on somebody may send it: the lease."""
    tries = models.PositiveIntegerField(default=0)

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"},
        # A link that is a day late was asked for again long ago.
        indexes=(Index({"due": 1}), Index({"at": 1}, expire_after_seconds=24 * 3600)),
    )

    class Meta:
        managed = False
        db_table = "account_letters"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class AddressBook(ShardedDocument):
    """Where a customer has things sent, see gateway/viewer/address_book.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    """The account's."""
    addresses = models.JSONField(default=list)
    """[{id, label, city, street, postcode, comment}], in the order in which they were saved first."""

    collection: ClassVar[Collection] = Collection(shard_key={"_id": "hashed"})

    class Meta:
        managed = False
        db_table = "address_books"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class OrderClaim(models.Model):
    """Orders of guests that are to become a customer's whose address was confirmed. Deleted once they are."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    """The account's."""
    email = models.CharField(max_length=LENGTHS["email"])
    due = models.DateTimeField()
    """From when on a sweep may do it."""

    collection: ClassVar[Collection] = Collection(indexes=(Index({"due": 1}),))

    class Meta:
        managed = False
        db_table = "order_claims"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class SecondFactor(models.Model):
    """How a member of staff proves to hold a telephone, see gateway/accounts/second_factor/."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    """The account's."""
    salt = models.CharField(max_length=64)
    """Of the secret, which is made from it and SECRET_KEY: whoever reads the database can make no codes."""
    last_step = models.BigIntegerField(default=0)
    """The half minute of the last code that was accepted: no code is accepted twice."""
    recovery = models.JSONField(default=list)
    """Keyed hashes of the recovery codes that are left."""
    confirmed = models.BooleanField(default=False)
    """False while the telephone has not shown a code yet."""

    collection: ClassVar[Collection] = Collection()

    class Meta:
        managed = False
        db_table = "second_factors"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id
