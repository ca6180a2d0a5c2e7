from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "gateway.audit"
    verbose_name = "Журнал изменений"
