"""A picture is uploaded, gets its thumbnails, is shown, and leaves when nobody shows it."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image
from pymongo.database import Database
from pytest_django import Settings

from catalog.errors import PicturesAway
from catalog.pictures import uploads
from catalog.pictures.addresses import WIDTHS, address_of, file_of, name_in, thumbnail_of
from catalog.pictures.orphans import AGAIN, sweep_orphans
from catalog.pictures.thumbnails import make_thumbnails, sweep_thumbnails
from catalog.pictures.uploads import keep_pictures, pictures, store_picture
from catalog.products.drafts import ImageDraft
from catalog.products.upsert import upsert_product
from catalog.tests.pictures.files import photo, png, stored_picture
from catalog.tests.shop import MARINA, assert_whole, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.tests.races import at_once, just_before, paused_process

pytestmark = pytest.mark.usefixtures("database")

A_DAY_LATER = timedelta(hours=24, minutes=1)


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def all_files(name: str) -> list[str]:
    return sorted([file_of(name), *(file_of(name, width) for width in WIDTHS)])


def test_upload_is_kept_and_its_thumbnails_are_made(folder: Path) -> None:
    picture = store_picture(photo(800, 400), actor=MARINA)
    assert (picture.url, picture.width, picture.height) == (address_of(picture.name), 400, 800)
    assert files(folder) == [file_of(picture.name)]

    assert make_thumbnails(picture.name[:32])

    assert files(folder) == all_files(picture.name)
    sizes = [Image.open(folder / file_of(picture.name, width)).size for width in WIDTHS]
    assert sizes == [(96, 192), (320, 640), (400, 800), (400, 800)]
    stored = stored_picture(picture.name)
    assert stored is not None
    assert (stored["is_ready"], stored["has_thumbnails"], stored["uploaded_by"]) == (True, True, MARINA.name)


def test_same_file_again_or_by_ten_at_once_is_one_picture(folder: Path) -> None:
    uploaded = at_once(*[lambda: store_picture(photo(), actor=MARINA)] * 10)

    assert len({picture.url for picture in uploaded}) == 1
    assert store_picture(photo(), actor=MARINA) == uploaded[0]
    assert files(folder) == [file_of(uploaded[0].name)]
    assert pictures().count_documents({}) == 1


@pytest.mark.parametrize(
    ("command", "number", "left"),
    [("findAndModify", 1, 0), ("update", 1, 1)],
    ids=["before the file", "before it is ready"],
)
def test_killed_upload_is_completed_by_the_next(
    database: Database[Document], folder: Path, command: str, number: int, left: int
) -> None:
    code = (
        "from catalog.pictures.uploads import store_picture; from catalog.tests.pictures.files import photo;"
        "from catalog.tests.shop import MARINA; from django.test import override_settings\n"
        f"with override_settings(MEDIA_ROOT={str(folder)!r}): store_picture(photo(), actor=MARINA)"
    )
    with paused_process(database, code, command=command, collection="pictures", number=number):
        assert len(files(folder)) == left

    picture = store_picture(photo(), actor=MARINA)

    assert files(folder) == [file_of(picture.name)]
    assert pictures().count_documents({"is_ready": True}) == 1


def test_half_a_file_is_written_anew(folder: Path) -> None:
    picture = store_picture(photo(), actor=MARINA)
    whole = (folder / file_of(picture.name)).read_bytes()
    (folder / file_of(picture.name)).write_bytes(whole[:10])
    pictures().update_one({"name": picture.name}, {"$set": {"is_ready": False}})

    store_picture(photo(), actor=MARINA)

    assert (folder / file_of(picture.name)).read_bytes() == whole


def test_thumbnails_that_no_task_has_made_are_made_by_the_sweep(folder: Path) -> None:
    names = [store_picture(png(colour=colour), actor=MARINA).name for colour in ("red", "blue")]
    half_done = folder / file_of(names[0], WIDTHS[0])
    half_done.parent.mkdir()
    half_done.write_bytes(b"half")

    assert (sweep_thumbnails(), sweep_thumbnails()) == (2, 0)

    assert files(folder) == sorted([*all_files(names[0]), *all_files(names[1])])
    assert Image.open(half_done).size == (60, 40)


def test_upload_that_nobody_saves_leaves_after_a_day(folder: Path) -> None:
    picture = store_picture(photo(), actor=MARINA)
    make_thumbnails(picture.name[:32])
    now = datetime.now(UTC)

    assert sweep_orphans(now + timedelta(hours=23)) == 0
    assert files(folder) == all_files(picture.name)
    assert sweep_orphans(now + A_DAY_LATER) == 1

    assert files(folder) == []
    assert pictures().count_documents({}) == 0


def test_picture_of_a_product_stays_and_leaves_after_it_was_taken_off(shop: Database[Document], folder: Path) -> None:
    picture = store_picture(photo(), actor=MARINA)
    upsert_product(draft(images=(ImageDraft(picture.url, "Спереди"),), withdrawn=True), actor=MARINA)
    assert_whole(shop)
    later = datetime.now(UTC) + A_DAY_LATER

    with COMMANDS.counted() as sent:
        assert sweep_orphans(later) == 0
    assert [(name.command, count) for name, count in sent.items() if name.collection == "products"] == [("find", 1)]
    assert files(folder) == [file_of(picture.name)]

    upsert_product(draft(images=()), actor=MARINA)
    assert sweep_orphans(later + AGAIN) == 1
    assert files(folder) == []


def test_form_that_keeps_it_in_the_last_moment_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from catalog.pictures import orphans  # noqa: PLC0415 - the module whose step is interrupted

    picture = store_picture(photo(), actor=MARINA)
    pictures().update_one({"name": picture.name}, {"$set": {"look_at": datetime.now(UTC) - A_DAY_LATER}})
    just_before(monkeypatch, orphans, "_shown", lambda: keep_pictures([picture.name]))

    assert sweep_orphans() == 0

    assert files(folder) == [file_of(picture.name)]


def test_upload_of_a_picture_that_is_leaving_is_a_new_one(folder: Path) -> None:
    old = store_picture(photo(), actor=MARINA)
    pictures().update_one({"name": old.name}, {"$set": {"leaving": True}})
    assert keep_pictures([old.name]) == [old.name]

    new = store_picture(photo(), actor=MARINA)

    assert new.name != old.name
    assert files(folder) == [file_of(new.name)]


def test_sweep_that_was_killed_is_taken_up_again(database: Database[Document], folder: Path) -> None:
    picture = store_picture(photo(), actor=MARINA)
    later = datetime.now(UTC) + A_DAY_LATER
    code = (
        "from datetime import datetime; from catalog.pictures.orphans import sweep_orphans;"
        "from django.test import override_settings\n"
        f"with override_settings(MEDIA_ROOT={str(folder)!r}):"
        f" sweep_orphans(datetime.fromisoformat({later.isoformat()!r}))"
    )
    with paused_process(database, code, command="delete", collection="pictures"):
        assert files(folder) == []
        assert stored_picture(picture.name) is not None

    assert sweep_orphans(later) == 1
    assert pictures().count_documents({}) == 0


def test_storage_that_is_away_is_a_refusal(settings: Settings, folder: Path) -> None:
    blocked = folder / "a-file"
    blocked.touch()
    settings.MEDIA_ROOT = blocked

    with pytest.raises(PicturesAway):
        store_picture(photo(), actor=MARINA)

    settings.MEDIA_ROOT = folder
    assert store_picture(photo(), actor=MARINA).name


# ---------------------------------------------------------------- addresses


def test_pictures_are_served_with_their_thumbnails(client: Client, folder: Path) -> None:
    picture = store_picture(photo(200, 100), actor=MARINA)
    thumbnail = thumbnail_of({"url": picture.url, "alt": ""}, 80)

    early = client.get(thumbnail)
    make_thumbnails(picture.name[:32])
    late = client.get(thumbnail)

    assert (early.status_code, early["Cache-Control"]) == (200, "public, max-age=5")
    assert Image.open(BytesIO(early.content)).size == (100, 200)
    assert (late["Content-Type"], late["Cache-Control"]) == ("image/webp", "public, max-age=31536000, immutable")
    assert Image.open(BytesIO(late.content)).size == (96, 192)


@pytest.mark.parametrize(
    "path", ["pictures/ab/x.webp", "pictures/../secret", "beat-schedule", f"pictures/ab/{'a' * 40}.webp"]
)
def test_nothing_else_is_served(client: Client, folder: Path, path: str) -> None:
    (folder / "beat-schedule").write_text("secret")

    assert client.get(f"/media/{path}").status_code == 404


NAME = "ab" * 20


@pytest.mark.parametrize(
    ("url", "width", "shown"),
    [
        (f"/media/pictures/ab/{NAME}.webp", 64, f"/media/pictures/ab/{NAME}/96.webp"),
        (f"/media/pictures/ab/{NAME}.webp", 97, f"/media/pictures/ab/{NAME}/320.webp"),
        (f"https://cdn.example/shop/pictures/ab/{NAME}.webp", 5000, f"/media/pictures/ab/{NAME}/1280.webp"),
        ("/images/PROD-1.svg", 64, "/images/PROD-1.svg"),
        ("https://img.example/1.jpg", 64, "https://img.example/1.jpg"),
        ("https://a.b.many.example/1.jpg", 64, "https://a.b.many.example/1.jpg"),
        ("http://img.example/1.jpg", 64, "/static/catalog/no-picture.svg"),
        ("https://img.example.evil.example/1.jpg", 64, "/static/catalog/no-picture.svg"),
        ("//img.example/1.jpg", 64, "/static/catalog/no-picture.svg"),
        ("", 64, "/static/catalog/no-picture.svg"),
    ],
)
def test_address_that_staff_are_shown(settings: Settings, url: str, width: int, shown: str) -> None:
    settings.MEDIA_URL = "https://cdn.example/shop/"
    settings.ADMIN_IMAGE_HOSTS = ["https://img.example", "https://*.many.example"]

    assert thumbnail_of({"url": url, "alt": ""} if url else None, width) == shown


def test_picture_of_another_shop_is_none_of_ours() -> None:
    assert name_in(f"https://other.example/pictures/ab/{NAME}.webp") is None
    assert uploads.keep_pictures([NAME]) == [NAME]
