from catalog.demo.tree import nodes
from catalog.models import Category


def load_categories() -> int:
    """Add the categories that are missing; those that a merchandiser has edited stay as they are. Returns how many."""
    present = set(Category.objects.values_list("slug", flat=True))
    missing = [
        Category(slug=node.slug, name=node.title, path=list(node.path), position=node.position)
        for node in nodes()
        if node.slug not in present
    ]
    Category.objects.bulk_create(missing)
    return len(missing)
