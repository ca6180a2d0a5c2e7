"""Names and addresses of pictures: the picture itself, its thumbnails, and what the admin shows of any image."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.templatetags.static import static

from catalog.products.derived import PICTURE

# Of a list, of a tile, of a page, and of a page on a sharp screen.
WIDTHS = (96, 320, 640, 1280)
# Where the gateway itself serves every picture, wherever buyers get them from.
OWN = "/media/"
# A picture, or one of its thumbnails.
FILE = re.compile(r"pictures/[0-9a-f]{2}/(?P<name>[0-9a-f]{40})(?:/(?P<width>[0-9]+))?\.webp")
PLACEHOLDER = "catalog/no-picture.svg"


def file_of(name: str, width: int | None = None) -> str:
    """The path in the storage, of the picture or of its thumbnail."""
    return f"pictures/{name[:2]}/{name}.webp" if width is None else f"pictures/{name[:2]}/{name}/{width}.webp"


def address_of(name: str) -> str:
    """The address by which buyers get the picture, to be kept in products."""
    return f"{settings.MEDIA_URL}{file_of(name)}"


def name_in(url: str) -> str | None:
    """The name of the uploaded picture that the address is of; None: it is none of ours."""
    if not url.startswith((settings.MEDIA_URL, OWN)):
        return None
    found = PICTURE.search(url)
    return found["name"] if found else None


def public_address(url: str, width: int | None = None) -> str:
    """The address of an image for frontends of any site.

    With a width, of an uploaded picture, the smallest thumbnail at least so wide; the picture itself if none is.
    """
    if width is not None and (name := name_in(url)):
        url = f"{settings.MEDIA_URL}{file_of(name, next((each for each in WIDTHS if each >= width), None))}"
    return f"{settings.PUBLIC_URL}{url}" if _is_own(url) else url


def thumbnail_of(image: Mapping[str, Any] | None, width: int) -> str:
    """An address that a page of staff may show for the image, at least so wide if there is one.

    An uploaded picture has thumbnails, served by the gateway; until they are made, the picture itself comes instead.
    Other addresses on this site and on hosts of ADMIN_IMAGE_HOSTS stay as they are. For any other, or none at all,
    there is a placeholder: the browser would refuse to load it.
    """
    url = image["url"] if image else ""
    if name := name_in(url):
        return f"{OWN}{file_of(name, next((each for each in WIDTHS if each >= width), WIDTHS[-1]))}"
    return url if _may_be_shown(url) else static(PLACEHOLDER)


def _may_be_shown(url: str) -> bool:
    if _is_own(url):
        return True
    parts = urlsplit(url)
    return any(_covers(host, f"{parts.scheme}://{parts.netloc}".lower()) for host in settings.ADMIN_IMAGE_HOSTS)


def _is_own(url: str) -> bool:
    return url.startswith("/") and not url.startswith("//")


def _covers(allowed: str, origin: str) -> bool:
    scheme, _, host = allowed.partition("://")
    if not host.startswith("*."):
        return origin == allowed
    return origin.startswith(f"{scheme}://") and origin.endswith(host[1:])
