"""Documents of the search: words that mean the same, the words of the shop, and what was not found."""

from django.db import models
from django_mongodb_backend.fields import ArrayField

from gateway.mongo.collections import Collection, Index


class SynonymGroup(models.Model):
    """Words that mean the same to whoever searches. See catalog/search/synonyms.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    title = models.CharField("слова", max_length=2000)
    """The words as they were typed, in one line."""
    words = ArrayField(models.CharField(max_length=60), default=list)
    keys = ArrayField(models.CharField(max_length=200), default=list)
    """The words as the search knows them, by their stems: no two groups have one in common."""
    changed_at = models.DateTimeField("изменены")
    changed_by = models.CharField("кто", max_length=254)

    # A few hundred groups: not sharded, so that the index may be unique.
    collection = Collection(indexes=(Index({"keys": 1}, unique=True), Index({"title": 1, "_id": 1})))

    class Meta:
        managed = False
        db_table = "search_synonyms"
        ordering = ("title", "id")
        verbose_name = "группа синонимов"
        verbose_name_plural = "группы синонимов"

    def __str__(self) -> str:
        return self.title


class SearchVocabulary(models.Model):
    """The words of the shop with their frequencies, packed, and who counts them. See catalog/search/vocabulary/."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=16)
    token = models.CharField(max_length=16)
    """Another one for other words."""
    began_at = models.DateTimeField()
    """When its count was begun: nothing of before is missing."""
    words = models.BinaryField()

    # Three documents.
    collection = Collection()

    class Meta:
        managed = False
        db_table = "search_vocabulary"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class SearchMiss(models.Model):
    """What was searched for on one day and not found as typed, and how often. Nobody's: who searched is not kept."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=128)
    day = models.DateTimeField()
    """Its beginning in UTC."""
    text = models.CharField("искали", max_length=100)
    """Without case and with single spaces."""
    outcome = models.CharField("что вышло", max_length=16)
    instead = models.CharField("показали", max_length=100, blank=True)
    """What was searched for instead, or the words left out."""
    count = models.PositiveIntegerField("сколько раз")

    collection = Collection(
        indexes=(
            # A period is counted from the index alone; what is older than a quarter tells nothing of today.
            Index({"day": 1, "outcome": 1, "text": 1, "count": 1, "instead": 1}),
            Index({"day": 1}, expire_after_seconds=92 * 24 * 3600),
        )
    )

    class Meta:
        managed = False
        db_table = "search_misses"
        default_permissions = ("view",)
        verbose_name = "ненайденное"
        verbose_name_plural = "ненайденное"

    def __str__(self) -> str:
        return self.text
