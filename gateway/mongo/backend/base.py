"""django-mongodb-backend with its commands counted, its reads limited and four faults of 5.2 cured; docs/mongodb.md."""

from typing import Any

from django.db.models import Model
from django_mongodb_backend.base import DatabaseWrapper as MongoDatabaseWrapper
from django_mongodb_backend.operations import DatabaseOperations as MongoOperations
from django_mongodb_backend.schema import DatabaseSchemaEditor as MongoSchemaEditor
from django_mongodb_backend.utils import OperationDebugWrapper

from gateway.mongo.commands import COMMANDS
from gateway.mongo.time_limit import LimitedClient, LimitedCollection


class DatabaseSchemaEditor(MongoSchemaEditor):  # type: ignore[misc]
    def create_model(self, model: type[Model]) -> None:
        """Create the model's collection; one that a migration which died half-way left gets its missing indexes."""
        if model._meta.db_table not in self.connection.introspection.table_names():
            super().create_model(model)
            return
        self._create_model_indexes(model)
        for field in model._meta.local_many_to_many:
            through = field.remote_field.through
            if through and through._meta.auto_created:
                self.create_model(through)


class DatabaseOperations(MongoOperations):  # type: ignore[misc]
    compiler_module = "gateway.mongo.backend.compiler"


class DatabaseWrapper(MongoDatabaseWrapper):  # type: ignore[misc]
    in_atomic_block: bool
    ops_class = DatabaseOperations
    SchemaEditorClass = DatabaseSchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "event_listeners": [COMMANDS]}

    def get_new_connection(self, conn_params: dict[str, Any]) -> LimitedClient:
        """A client like the backend's own, but one whose reads keep to the limit of their page."""
        pools: dict[str, LimitedClient] = self._connection_pools
        if self.alias not in pools:
            # setdefault: several threads may come here at once.
            pools.setdefault(self.alias, LimitedClient(**conn_params, driver=self._driver_info()))
        return pools[self.alias]

    def get_collection(self, name: str, **options: Any) -> Any:
        collection = LimitedCollection(self.database, name, **options)
        return OperationDebugWrapper(self, collection) if self.queries_logged else collection

    def commit_mongo(self) -> None:
        """End the session even when the commit raises: left open, it would take the next block out of a transaction."""
        try:
            super().commit_mongo()
        except BaseException:
            if self.session:
                self._end_session()
            self.run_on_commit: list[Any] = []
            raise

    def run_and_clear_commit_hooks(self) -> None:
        """Run the hooks also inside Django's atomic(), which the admin puts round every form.

        That block is no transaction here, and would keep them back.
        """
        inside, self.in_atomic_block = self.in_atomic_block, False
        try:
            super().run_and_clear_commit_hooks()
        finally:
            self.in_atomic_block = inside
