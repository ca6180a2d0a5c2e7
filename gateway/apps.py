from django.apps import AppConfig

from gateway.production import checks  # noqa: F401 - importing registers them


class GatewayConfig(AppConfig):
    name = "gateway"
    verbose_name = "Шлюз"
