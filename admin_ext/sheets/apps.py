from django.apps import AppConfig


class SheetsConfig(AppConfig):
    name = "admin_ext.sheets"
    verbose_name = "Импорт и экспорт"
