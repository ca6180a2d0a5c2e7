from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "admin_ext.jobs"
    verbose_name = "Задания"
