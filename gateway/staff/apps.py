from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "gateway.staff"
    verbose_name = "Рабочее место"
