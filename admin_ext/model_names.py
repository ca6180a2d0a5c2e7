"""Names of models and their fields in the language of whoever reads them.

They are written in Russian, in plain strings, as Django wants them; here they become lazy ones, so that no model has to
remember it. Migrations do not see it.
"""

from django.apps import AppConfig
from django.db.models import Field, Model

from gateway.staff.language import lazy_label


def translate_app(app: AppConfig) -> None:
    """Let the names of the app, of its models and of their fields follow the reader."""
    app.verbose_name = lazy_label(app.verbose_name)
    for model in app.get_models():
        _translate_model(model)


def _translate_model(model: type[Model]) -> None:
    options = model._meta
    options.verbose_name = lazy_label(options.verbose_name)
    options.verbose_name_plural = lazy_label(options.verbose_name_plural)
    for field in options.get_fields():
        if isinstance(field, Field):
            field.verbose_name = lazy_label(field.verbose_name)
            field.help_text = lazy_label(field.help_text)
            if choices := field.flatchoices:
                field.choices = [(value, lazy_label(label)) for value, label in choices]
