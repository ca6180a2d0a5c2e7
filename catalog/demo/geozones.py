"""Where the demo shop sells."""

from catalog.models import Geozone

GEOZONES = {
    "msk": "Москва",
    "spb": "Санкт-Петербург",
    "ekb": "Екатеринбург",
    "kzn": "Казань",
    "nsk": "Новосибирск",
}


def load_geozones() -> int:
    """Add the geozones that are missing; those that a merchandiser has edited stay as they are. Returns how many."""
    present = set(Geozone.objects.values_list("code", flat=True))
    missing = [
        Geozone(code=code, name=name, position=position)
        for position, (code, name) in enumerate(GEOZONES.items(), start=1)
        if code not in present
    ]
    Geozone.objects.bulk_create(missing)
    return len(missing)
