from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "gateway.accounts"
    verbose_name = "Учётные записи"
