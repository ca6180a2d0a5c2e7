"""Pictures in a real bucket: a server that speaks S3, if this machine has one (`versitygw` on PATH).

`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0` brings it.
"""

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from django.test import Client
from pytest_django import Settings

from catalog.errors import PicturesAway
from catalog.pictures.addresses import WIDTHS, file_of, thumbnail_of
from catalog.pictures.orphans import sweep_orphans
from catalog.pictures.thumbnails import make_thumbnails
from catalog.pictures.uploads import pictures, store_picture
from catalog.tests.pictures.files import photo
from catalog.tests.pictures.test_uploads import A_DAY_LATER
from catalog.tests.shop import MARINA
from gateway.buckets import FOR_EVER, bucket
from gateway.tests.eventually import eventually
from gateway.tests.redis_servers import free_port

KEY, SECRET = "gateway", "secret-of-the-tests"
NAME = "pictures"
PROGRAM = "versitygw"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which(PROGRAM)
    if program is None:
        pytest.skip(f"no {PROGRAM} on PATH")
    folder, port = tmp_path_factory.mktemp("bucket"), free_port()
    command = [program, "--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET, "posix", str(folder)]
    with (folder.parent / "s3.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.fixture
def s3(endpoint: str, settings: Settings) -> Any:
    options = {"endpoint": endpoint, "region": "us-east-1", "access_key": KEY, "secret_key": SECRET}
    settings.STORAGES = {**settings.STORAGES, "default": bucket(NAME, **options)}
    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
    )
    eventually(lambda: _make_bucket(client))
    return client


def _make_bucket(client: Any) -> bool:
    try:
        client.head_bucket(Bucket=NAME)
    except (BotoCoreError, ClientError):
        try:
            client.create_bucket(Bucket=NAME)
        except (BotoCoreError, ClientError):
            return False
    return True


def files(s3: Any) -> list[str]:
    return [each["Key"] for each in s3.list_objects_v2(Bucket=NAME).get("Contents", ())]


@pytest.mark.usefixtures("database")
def test_picture_lives_in_the_bucket_from_upload_to_sweep(s3: Any, client: Client) -> None:
    picture = store_picture(photo(200, 100), actor=MARINA)
    assert make_thumbnails(picture.name[:32])
    assert store_picture(photo(200, 100), actor=MARINA) == picture

    assert files(s3) == sorted([file_of(picture.name), *(file_of(picture.name, width) for width in WIDTHS)])
    kept = s3.head_object(Bucket=NAME, Key=file_of(picture.name))
    assert (kept["ContentType"], kept["CacheControl"]) == ("image/webp", FOR_EVER)
    served = client.get(thumbnail_of({"url": picture.url, "alt": ""}, 64))
    assert (served.status_code, served["Content-Type"]) == (200, "image/webp")

    document = pictures().find_one({"name": picture.name})
    assert document is not None
    assert sweep_orphans(document["look_at"] + A_DAY_LATER) == 1
    assert files(s3) == []
    assert client.get(picture.url).status_code == 404


@pytest.mark.usefixtures("database")
def test_bucket_that_does_not_answer_is_a_refusal(s3: Any, settings: Settings, client: Client) -> None:
    picture = store_picture(photo(), actor=MARINA)
    nowhere = {"endpoint": f"http://127.0.0.1:{free_port()}", "region": "us-east-1", "access_key": KEY}
    settings.STORAGES = {**settings.STORAGES, "default": bucket(NAME, **nowhere, secret_key=SECRET)}

    with pytest.raises(PicturesAway):
        store_picture(photo(colour="green"), actor=MARINA)
    assert client.get(picture.url).status_code == 503
