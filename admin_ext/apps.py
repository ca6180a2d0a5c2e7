from django.apps import AppConfig, apps

from admin_ext.model_names import translate_app

# Those whose names are written in Russian; Django's own bring their translations.
OURS = ("gateway", "accounts", "audit", "idempotency", "catalog", "cart", "ordering", "admin_ext", "jobs")


class AdminExtConfig(AppConfig):
    name = "admin_ext"
    verbose_name = "Рабочее место"

    def ready(self) -> None:
        from admin_ext.audit_names import register_names  # noqa: PLC0415 - models are loaded by now

        register_names()
        for label in OURS:
            translate_app(apps.get_app_config(label))
