"""The base of every sharded ORM model: its reads, writes and deletes by key go to one shard and may be retried."""

from collections.abc import Collection as AnyCollection
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self

from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Field, QuerySet
from django_mongodb_backend.query import wrap_database_errors
from pymongo.collection import Collection as PyMongoCollection

from gateway.mongo.client import orm_connection
from gateway.mongo.collections import Collection

FieldValues = AnyCollection[tuple[Field, type[models.Model] | None, Any]]


class ShardedDocument(models.Model):
    """A document that remembers the shard key it was loaded with, so that it is found even while the key changes.

    A new object is always inserted and a loaded one always updated: Django's «update, else insert» could leave a second
    document with the same `_id` on another shard. Saving a document that has been deleted or moved meanwhile raises
    `DatabaseError`. Documents have no relations, so `delete` cascades nowhere.
    """

    collection: ClassVar[Collection]

    class Meta:
        abstract = True

    _loaded_key: Mapping[str, Any] = MappingProxyType({})
    """Value of each shard-key field as the store has it, by attribute name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declaration = cls.__dict__.get("collection")
        if declaration is not None and declaration.shard_key is None:
            raise ImproperlyConfigured(f"{cls.__name__} is a ShardedDocument without a shard key")

    @classmethod
    def from_db(cls, db: str | None, field_names: AnyCollection[str], values: AnyCollection[Any]) -> Self:
        instance = super().from_db(db, field_names, values)
        instance._remember_key()  # noqa: SLF001 - our own
        return instance

    def save(
        self,
        *,
        force_insert: bool | tuple[models.base.ModelBase, ...] = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        if not (force_insert or force_update or update_fields is not None):
            force_insert = self._state.adding
            force_update = not force_insert
        super().save(force_insert=force_insert, force_update=force_update, using=using, update_fields=update_fields)
        self._remember_key(update_fields)

    def refresh_from_db(
        self, using: str | None = None, fields: Iterable[str] | None = None, from_queryset: Any = None
    ) -> None:
        everywhere = from_queryset if from_queryset is not None else type(self)._base_manager.using(using)
        try:
            super().refresh_from_db(using, fields, everywhere.filter(**self._stored_key()))
        except self.DoesNotExist:
            # Someone else may have changed its shard key: only then is every shard asked.
            super().refresh_from_db(using, fields, everywhere)
        self._remember_key(fields)

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        if self.pk is None:
            raise ValueError(f"{self._meta.object_name} cannot be deleted because it has no key.")
        deleted = self._delete_one(using or self._state.db or DEFAULT_DB_ALIAS)
        self.pk = None
        return deleted, {self._meta.label: deleted}

    @wrap_database_errors
    def _delete_one(self, using: str) -> int:
        result = self._collection(using).delete_one(self._address(using), session=orm_connection(using).session)
        return int(result.deleted_count)

    def _do_update(
        self,
        base_qs: QuerySet[Self],
        using: str | None,
        pk_val: Any,
        values: FieldValues,
        update_fields: Iterable[str] | None,
        forced_update: bool,
    ) -> bool:
        """Replace the ORM's `update_many` by `_id`, which is broadcast and never retried."""
        if not values or any(hasattr(value, "resolve_expression") for _, _, value in values):
            in_shard = base_qs.filter(**self._stored_key())
            return super()._do_update(in_shard, using, pk_val, values, update_fields, forced_update)
        return bool(self._update_one(using or DEFAULT_DB_ALIAS, values))

    @wrap_database_errors
    def _update_one(self, using: str, values: FieldValues) -> bool:
        connection = orm_connection(using)
        changes = {field.column: field.get_db_prep_save(value, connection) for field, _, value in values}
        result = self._collection(using).update_one(self._address(using), {"$set": changes}, session=connection.session)
        return bool(result.matched_count)

    def _collection(self, using: str) -> PyMongoCollection[dict[str, Any]]:
        found: PyMongoCollection[dict[str, Any]] = orm_connection(using).get_collection(self._meta.db_table)
        return found

    def _address(self, using: str) -> dict[str, Any]:
        """The filter that finds this document on its shard, in stored values."""
        connection = orm_connection(using)
        stored = self._stored_key()
        key = {
            field.column: field.get_db_prep_save(stored[field.attname], connection)
            for field in self._key_fields()
            if field.attname in stored
        }
        return {**key, "_id": self._meta.pk.get_db_prep_save(self.pk, connection)}

    def _stored_key(self) -> dict[str, Any]:
        """The shard key as the store has it; for an object made by hand, as it was given."""
        deferred = self.get_deferred_fields()
        written = {
            field.attname: getattr(self, field.attname)
            for field in self._key_fields()
            if self._state.adding and field.attname not in deferred
        }
        return {**written, **self._loaded_key}

    def _remember_key(self, only: Iterable[str] | None = None) -> None:
        """Take the key's fields, or only those named in `only`, as what the store has now."""
        fresh = {field.attname for field in self._key_fields()} - self.get_deferred_fields()
        if only is not None:
            fresh &= set(only)
        self._loaded_key = {**self._loaded_key, **{attname: getattr(self, attname) for attname in fresh}}

    @classmethod
    def _key_fields(cls) -> list[Field]:
        columns = set(cls.collection.shard_key_fields) - {"_id"}
        return [field for field in cls._meta.concrete_fields if field.column in columns]
