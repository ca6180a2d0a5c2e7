from django.apps import AppConfig


class SamplesConfig(AppConfig):
    """Documents and tables that exist only to test the frame."""

    name = "gateway.tests.samples"
    label = "samples"
