import io
from pathlib import Path

from deploy.local.process.log import Follower


def test_lines_of_several_logs_appear_under_their_names(tmp_path: Path) -> None:
    web, worker = tmp_path / "web.log", tmp_path / "worker.log"
    web.write_text("of a former run\n")
    screen = io.StringIO()
    follower = Follower({"web": web, "worker": worker}, screen)

    with web.open("a") as log:
        log.write("started\nhalf a li")
    worker.write_text("ready\n")
    assert follower.emit()
    with web.open("a") as log:
        log.write("ne\n")
    assert follower.emit()
    assert not follower.emit()

    assert screen.getvalue() == "web      started\nworker   ready\nweb      half a line\n"


def test_a_log_that_was_put_aside_is_read_from_its_new_beginning(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("a long line of a former run\n")
    screen = io.StringIO()
    follower = Follower({"web": log}, screen)

    log.write_text("anew\n")
    follower.emit()

    assert screen.getvalue() == "web      anew\n"
