"""Answers given without a task, on real connections: whole, in order, and only for what came whole."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest
from pymongo.database import Database

from catalog.models import Geozone
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server

BODY = b'{"query": "query AtOnce { geozones { code name } }"}'
OTHER = b'{"query": "query NotAtOnce { __typename }"}'


@pytest.fixture
def prompt(database: Database[Document], serve: Callable[..., Server]) -> Server:
    """A server that has been asked twice, and answers at once from then on."""
    Geozone.objects.create(code="msk", name="Москва", position=1)
    server = serve(GRAPHQL_ANSWERS_BYTES="1000000", SERVER_NUMBER="prompt")
    headers = {"content-type": "application/json"}
    for _ in range(2):
        answer = server.client.post("/graphql", content=BODY, headers=headers)
    assert answer.json()["data"] == {"geozones": [{"code": "msk", "name": "Москва"}]}
    return server


@pytest.fixture
def connect(prompt: Server) -> Iterator[Callable[[], socket.socket]]:
    with ExitStack() as sockets:
        url = prompt.client.base_url

        def open_() -> socket.socket:
            address = (url.host, url.port or 80)
            return sockets.enter_context(socket.create_connection(address, timeout=20))

        yield open_


def request_of(body: bytes, *further: str, version: str = "1.1") -> bytes:
    lines = [
        f"POST /graphql HTTP/{version}",
        "host: 127.0.0.1",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *further,
    ]
    return "\r\n".join((*lines, "", "")).encode() + body


def read(connection: socket.socket) -> httpx.Response:
    """The next response, exactly."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        received += _one(connection)
    status, *lines = received.decode().split("\r\n")[:-2]
    headers: dict[str, str] = dict(line.split(": ", 1) for line in lines)
    content = b"".join(_one(connection) for _ in range(int(headers["content-length"])))
    return httpx.Response(int(status.split()[1]), headers=headers, content=content)


def _one(connection: socket.socket) -> bytes:
    received = connection.recv(1)
    if not received:
        pytest.fail("the server closed the connection")
    return received


def is_closed(connection: socket.socket) -> bool:
    return connection.recv(1) == b""


def test_answers_come_one_after_another_on_one_connection(connect: Callable[[], socket.socket]) -> None:
    connection = connect()
    answers = []
    for _ in range(3):
        connection.sendall(request_of(BODY))
        answers.append(read(connection))

    assert [answer.headers["x-cache"] for answer in answers] == ["hit"] * 3
    assert {answer.content.partition(b',"extensions"')[0] for answer in answers} == {
        '{"data":{"geozones":[{"code":"msk","name":"Москва"}]}'.encode()
    }
    assert len({answer.headers["x-request-id"] for answer in answers}) == 3
    assert all(answer.headers["x-frame-options"] == "DENY" for answer in answers)
    assert all("date" in answer.headers and "connection" not in answer.headers for answer in answers)


def test_requests_sent_together_are_answered_in_their_order(connect: Callable[[], socket.socket]) -> None:
    connection = connect()

    connection.sendall(b"".join(request_of(body) for body in (BODY, OTHER, BODY, BODY, OTHER)))
    answers = [read(connection) for _ in range(5)]

    assert ["geozones" in answer.json()["data"] for answer in answers] == [True, False, True, True, False]


def test_body_that_comes_in_parts_is_answered_when_it_is_whole(connect: Callable[[], socket.socket]) -> None:
    connection = connect()
    sent = request_of(BODY)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    for start in range(0, len(sent), 40):
        connection.sendall(sent[start : start + 40])

    assert read(connection).headers["x-cache"] == "hit"


@pytest.mark.parametrize(("further", "version"), [(["connection: close"], "1.1"), ([], "1.0")], ids=["close", "1.0"])
def test_connection_ends_when_the_client_wants_it(
    connect: Callable[[], socket.socket], further: list[str], version: str
) -> None:
    connection = connect()

    connection.sendall(request_of(BODY, *further, version=version))
    answer = read(connection)

    assert (answer.headers["x-cache"], answer.headers["connection"]) == ("hit", "close")
    assert is_closed(connection)


def test_client_that_asks_before_it_sends_is_told_to_go_on(connect: Callable[[], socket.socket]) -> None:
    connection = connect()
    head, _, body = request_of(BODY, "expect: 100-continue").partition(b"\r\n\r\n")

    connection.sendall(head + b"\r\n\r\n")
    told = b"".join(_one(connection) for _ in b"HTTP/1.1 100 Continue\r\n\r\n")
    connection.sendall(body)

    assert told == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert read(connection).status_code == 200


def test_request_answered_at_once_is_logged_like_any_other(
    prompt: Server, connect: Callable[[], socket.socket]
) -> None:
    connection = connect()
    connection.sendall(request_of(BODY, "x-request-id: told-by-the-client", "x-forwarded-for: 10.7.3.1"))

    assert read(connection).headers["x-request-id"] == "told-by-the-client"
    line = eventually(
        lambda: next((line for line in prompt.logged("request") if line["request_id"] == "told-by-the-client"), None)
    )
    (ordinary, *_) = [line for line in prompt.logged("request") if line["path"] == "/graphql"]
    assert {**line, "ms": 0} == {
        "event": "request",
        "level": "info",
        "logger": "gateway.web.front",
        "timestamp": line["timestamp"],
        "request_id": "told-by-the-client",
        "method": "POST",
        "path": "/graphql",
        "status": 200,
        "ms": 0,
        "client": "10.7.3.1",
    }
    assert line.keys() == ordinary.keys()
