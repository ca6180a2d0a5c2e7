from django.apps import AppConfig


class AdminExtConfig(AppConfig):
    name = "admin_ext"
    verbose_name = "Рабочее место"
