"""What is taken for a picture, and what is left of it."""

import tracemalloc
from io import BytesIO

import pytest
from PIL import Image
from pytest_django import Settings

from catalog.errors import NotAPicture, TooManyBytes, TooManyPixels
from catalog.pictures.encoding import LONGEST_SIDE, encoded, thumbnail
from catalog.tests.pictures.files import bomb, broken, photo, png, webp


def test_photo_is_upright_and_keeps_nothing_but_its_pixels() -> None:
    made = encoded(photo(60, 40))

    assert (made.width, made.height) == (40, 60)
    picture = Image.open(BytesIO(made.content))
    assert (picture.format, picture.size) == ("WEBP", (40, 60))
    assert dict(picture.getexif()) == {}
    assert {"exif", "xmp", "icc_profile", "comment"} & set(picture.info) == set()
    assert b"EXIF" not in made.content
    assert "Камера".encode() not in made.content


def test_large_picture_is_made_smaller() -> None:
    made = encoded(png(3000, 1500))

    assert (made.width, made.height) == (LONGEST_SIDE, LONGEST_SIDE // 2)


def test_transparency_stays() -> None:
    into = BytesIO()
    Image.new("RGBA", (10, 10), (255, 0, 0, 0)).save(into, "PNG")

    picture = Image.open(BytesIO(encoded(into.getvalue()).content))

    assert picture.convert("RGBA").getpixel((5, 5))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1.7", b"\xff\xd8\xff", broken()],
    ids=["empty", "text", "svg", "pdf", "beginning", "half"],
)
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(NotAPicture):
        encoded(content)


def test_bomb_is_refused_before_it_is_decoded() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(TooManyPixels):
            encoded(bomb())
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("content", [png(10_000, 5_000), webp(10_000, 5_000)], ids=["png", "webp"])
def test_fifty_megapixels_are_refused_in_words(content: bytes) -> None:
    with pytest.raises(TooManyPixels) as refusal:
        encoded(content)

    assert refusal.value.message("ru") == (
        "Слишком много точек: 10000 × 5000, это 50 Мпикс; принимается до 25 Мпикс. Уменьшите изображение."
    )


def test_too_many_bytes_are_refused_in_words(settings: Settings) -> None:
    settings.PICTURE_MAX_BYTES = 1_500_000

    with pytest.raises(TooManyBytes) as refusal:
        encoded(bytes(2_000_000))

    assert refusal.value.message("en") == "The file is too large: 2 MB, up to 1.5 MB are taken."


@pytest.mark.parametrize(("width", "made"), [(96, (96, 64)), (640, (600, 400))])
def test_thumbnail_is_never_wider_than_the_picture(width: int, made: tuple[int, int]) -> None:
    picture = encoded(png(600, 400))

    assert Image.open(BytesIO(thumbnail(picture.content, width))).size == made
