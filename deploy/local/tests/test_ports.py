import json
import os
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.layout import DEVELOPMENT_ROOT, SECOND_TEST_ROOT, TEST_ROOT, Layout
from deploy.local.process.ports import HOST, OFFSETS, PortBook, base_of, is_free, taken_by


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.create()
    return layout


@pytest.fixture
def taken(layout: Layout) -> Iterator[int]:
    """Redis' first choice of this root, held by somebody else."""
    port = base_of(layout.root) + OFFSETS["redis"]
    with socket.create_server((HOST, port)):
        yield port


def test_the_kinds_of_root_do_not_share_ports(tmp_path: Path) -> None:
    bases = sorted(base_of(root) for root in (DEVELOPMENT_ROOT, TEST_ROOT, SECOND_TEST_ROOT, tmp_path))

    assert all(higher - lower >= 500 for lower, higher in pairwise(bases))
    assert bases[-1] + 1000 < 32768


def test_a_port_is_the_same_at_the_next_start(layout: Layout) -> None:
    first = PortBook(layout)
    first.settle("redis", movable=True)
    first.save()

    second = PortBook(layout)
    second.settle("redis", movable=True)

    assert second["redis"] == first["redis"] == base_of(layout.root) + OFFSETS["redis"]


def test_a_taken_port_is_replaced_and_the_choice_remembered(layout: Layout, taken: int) -> None:
    book = PortBook(layout)
    book.settle("redis", movable=True)
    book.save()

    assert book["redis"] != taken
    assert is_free(book["redis"])
    assert json.loads(layout.ports.read_text()) == {"redis": book["redis"]}


def test_a_port_that_data_is_bound_to_is_refused_with_the_name_of_its_holder(layout: Layout, taken: int) -> None:
    layout.ports.write_text(json.dumps({"redis": taken}))

    with pytest.raises(StackError) as refusal:
        PortBook(layout).settle("redis", movable=False)

    holder = Path("/proc/self/comm").read_text().strip()
    assert str(refusal.value) == (
        f"port {taken} of redis is taken by {holder} (pid {os.getpid()}), and its data is bound to that port.\n"
        f"Stop that process and start again; or give up this stack's data: make clean."
    )


def test_the_port_of_a_running_server_is_its_own(layout: Layout, taken: int) -> None:
    layout.ports.write_text(json.dumps({"redis": taken}))
    book = PortBook(layout, running={"redis"})

    book.settle("redis", movable=True)

    assert book["redis"] == taken


def test_a_holder_is_found_on_any_interface() -> None:
    with socket.create_server(("", 0)) as server:
        port = server.getsockname()[1]

        assert not is_free(port)
        assert taken_by(port).endswith(f"(pid {os.getpid()})")
