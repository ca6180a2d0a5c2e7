from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    name = "gateway.idempotency"
    verbose_name = "Ключи запросов"
