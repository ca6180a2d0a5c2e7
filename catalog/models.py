"""Documents of the catalog."""

from django.core.validators import RegexValidator
from django.db import models

from gateway.mongo.collections import Collection


class Geozone(models.Model):
    """A region with its own stock. Its code stands in products, carts and orders, so it never changes."""

    code = models.CharField(
        "код",
        primary_key=True,
        db_column="_id",
        max_length=16,
        validators=[RegexValidator(r"\A[a-z][a-z0-9-]*\Z", "Латинские строчные буквы, цифры и дефис: msk.")],
    )
    name = models.CharField("название", max_length=100)
    position = models.PositiveIntegerField("порядок", default=100, help_text="Меньше — выше в списке.")

    collection = Collection()

    class Meta:
        managed = False  # the collection is made by `manage.py topology apply`
        db_table = "geozones"
        ordering = ("position", "code")
        verbose_name = "геозона"
        verbose_name_plural = "геозоны"

    def __str__(self) -> str:
        return self.name
