from django.apps import AppConfig


class AdminExtConfig(AppConfig):
    name = "admin_ext"
    verbose_name = "Рабочее место"

    def ready(self) -> None:
        from admin_ext.audit_names import register_names  # noqa: PLC0415 - models are loaded by now

        register_names()
