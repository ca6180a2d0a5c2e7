"""Categories to choose from."""

from catalog.models import Category


def leaf_choices() -> list[tuple[str, str]]:
    """Categories that may hold products, with the names of those above them."""
    parents = {slug for category in Category.objects.all() for slug in category.path}
    return [(slug, label) for slug, label in category_paths() if slug not in parents]


def category_paths() -> list[tuple[str, str]]:
    """Every category, with the names of those above it."""
    categories = {category.slug: category for category in Category.objects.all()}
    labelled = [
        (slug, " / ".join(categories[above].name if above in categories else above for above in [*category.path, slug]))
        for slug, category in categories.items()
    ]
    return sorted(labelled, key=lambda choice: choice[1])
