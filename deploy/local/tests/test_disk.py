from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.fetch import disk


def test_enough_room_is_no_news(tmp_path: Path) -> None:
    disk.require(tmp_path / "not" / "there" / "yet", 1, "start the servers")

    assert list(tmp_path.iterdir()) == []


def test_too_little_room_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(StackError) as refusal:
        disk.require(tmp_path / "cache", 2**60, "fetch mongodb-8.2.0")

    assert str(refusal.value).startswith("not enough disk space to fetch mongodb-8.2.0: 1073741824.0 GB needed, ")
    assert str(refusal.value).endswith(f"GB free at {tmp_path}.\nFree some space there and start again.")
    assert not (tmp_path / "cache").exists()


def test_a_disk_that_fills_up_meanwhile_is_explained() -> None:
    with pytest.raises(OSError, match="No space left") as failure:
        Path("/dev/full").write_text("x")

    explanation = disk.explain(failure.value)

    assert explanation == ("the disk is full. Free some space and start again; what was begun is picked up from there.")
    assert disk.explain(FileNotFoundError(2, "No such file")) is None
