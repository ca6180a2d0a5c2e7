"""Addresses of images as frontends of any site can use them."""

import pytest
from pytest_django import Settings

from catalog.graphql.types import Image
from catalog.pictures.addresses import address_of, file_of, public_address
from gateway.graphql.inputs import BadInput

NAME = "ab" * 20


@pytest.mark.parametrize(
    ("width", "kept"),
    [(None, None), (1, 96), (96, 96), (97, 320), (640, 640), (1280, 1280), (1281, None), (10**9, None)],
)
def test_smallest_thumbnail_that_is_wide_enough(settings: Settings, width: int | None, kept: int | None) -> None:
    settings.PUBLIC_URL = "https://api.example"

    assert public_address(address_of(NAME), width) == f"https://api.example/media/{file_of(NAME, kept)}"


def test_pictures_of_a_cdn_are_there_and_elsewhere_as_they_were_written(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://api.example/shop"
    settings.MEDIA_URL = "https://cdn.example/"

    assert public_address(address_of(NAME), 300) == f"https://cdn.example/{file_of(NAME, 320)}"
    assert public_address(f"/media/{file_of(NAME)}", 300) == f"https://cdn.example/{file_of(NAME, 320)}"
    assert public_address("/static/phone.svg", 300) == "https://api.example/shop/static/phone.svg"
    assert public_address("https://other.example/a.jpg", 300) == "https://other.example/a.jpg"
    assert public_address("//other.example/a.jpg", 300) == "//other.example/a.jpg"


def test_without_the_setting_addresses_stay_relative(settings: Settings) -> None:
    settings.PUBLIC_URL = ""

    assert public_address("/static/phone.svg") == "/static/phone.svg"


@pytest.mark.parametrize("width", [0, -1])
def test_width_of_nothing_is_refused(width: int) -> None:
    with pytest.raises(BadInput) as refused:
        Image(address="/a.svg", alt="").url(width=width)

    assert refused.value.in_language("en") == f"width must be above zero, not {width}."
