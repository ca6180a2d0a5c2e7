import io
import os
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.layout import Layout
from deploy.local.process.applications import Application
from deploy.local.process.process import Process
from deploy.local.run.supervisor import Supervisor
from deploy.local.start.stack import Stack


def test_a_process_that_keeps_dying_is_started_again_and_then_given_up(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    no_servers = Stack(layout, [], served={}, external={}, variables={})
    worker = Application(Process.of(layout, "worker"), ("sh", "-c", "echo no broker; exit 1"), dict(os.environ))
    screen = io.StringIO()
    supervisor = Supervisor([worker], no_servers, port=1, stream=screen)

    with pytest.raises(StackError) as failure:
        supervisor.run()

    log = layout.log_file("worker")
    assert str(failure.value) == f"worker died 3 times in a row soon after its start. Its log: {log}"
    assert log.read_text() == "no broker\n" * 3
    assert screen.getvalue().startswith(
        f"worker   no broker\n\nworker died after 0 s. The end of {log}:\n    no broker\n"
        "worker is started again in 1 s.\n"
    )
