"""What a server does when more is asked of it than it can do at once, seen from real sockets."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import httpx
import pytest

from gateway.redis.clients import cache_client
from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server

SLOW = {"query": "{ geozones { code } }"}
QUICK = {"query": "{ __typename }"}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str

    @property
    def code(self) -> str:
        code: str = json.loads(self.body)["errors"][0]["extensions"]["code"]
        return code


class Caller:
    """One connection, whose bytes the test sends as it likes."""

    def __init__(self, server: Server, path: str = "/graphql", address: str = "10.7.0.1", language: str = "ru") -> None:
        url = server.client.base_url
        self.socket = socket.create_connection((url.host, url.port or 80), timeout=30)
        self._head = f"{path} HTTP/1.1\r\nhost: {url.host}\r\nx-forwarded-for: {address}\r\n"
        self._head += f"accept-language: {language}\r\n"

    def send_head(self, length: int) -> None:
        head = f"POST {self._head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        self.socket.sendall(head.encode())

    def ask(self, request: dict[str, str]) -> "Caller":
        body = json.dumps(request).encode()
        self.send_head(len(body))
        self.socket.sendall(body)
        return self

    def get(self) -> "Caller":
        self.socket.sendall(f"GET {self._head}\r\n".encode())
        return self

    def answer(self) -> Answer:
        """Read to the end of the body."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        while len(body) < int(headers.get("content-length", 0)):
            body += self._more()
        return Answer(int(status.split()[1]), headers, body.decode())

    def _more(self) -> bytes:
        received = self.socket.recv(65_536)
        if not received:
            pytest.fail("the server closed the connection")
        return received


@pytest.fixture
def callers() -> Iterator[Callable[..., Caller]]:
    with ExitStack() as sockets:

        def call(server: Server, **options: str) -> Caller:
            caller = Caller(server, **options)
            sockets.enter_context(caller.socket)
            return caller

        yield call


@pytest.fixture(scope="module")
def narrow(serve: Callable[..., Server]) -> Iterator[Server]:
    """Two turns and three places in the queue; MongoDB takes connections and says nothing, so that reads hang."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield serve(
            MONGODB_URI=f"mongodb://127.0.0.1:{silent.getsockname()[1]}/",
            GRAPHQL_MAX_RUNNING="2",
            GRAPHQL_MAX_WAITING="3",
            GRAPHQL_MAX_SECONDS="4",
            GRAPHQL_MAX_WAIT_SECONDS="10",
            GRAPHQL_POINTS_PER_MS="0",
            DJANGO_MAX_RUNNING="1",
            DJANGO_MAX_WAITING="1",
        )


def post(server: Server, content: bytes) -> httpx.Response:
    return server.client.post("/graphql", content=content, headers={"content-type": "application/json"})


def statuses(server: Server, path: str = "/graphql") -> list[int]:
    return [line["status"] for line in server.logged("request") if line["path"] == path]


def test_queue_is_short_and_whoever_left_it_is_never_served(narrow: Server, callers: Callable[..., Caller]) -> None:
    for client in ("10.7.0.2", "10.7.0.3"):
        cache_client().delete(f"graphql:bucket:{client}")
    before = len(statuses(narrow))
    running = [callers(narrow).ask(SLOW) for _ in range(2)]
    time.sleep(0.5)
    stays = callers(narrow, address="10.7.0.2").ask(QUICK)
    leaves = [callers(narrow, address="10.7.0.3").ask(QUICK) for _ in range(2)]
    time.sleep(0.5)

    # The queue is full: refused at once, although nothing of the body has been sent.
    refused = callers(narrow, address="10.7.0.3")
    refused.send_head(1_000)
    answer = refused.answer()
    assert (answer.status, answer.headers["retry-after"], answer.headers["connection"]) == (503, "1", "close")
    assert json.loads(answer.body) == {
        "errors": [
            {
                "message": "Сервер занят: запрос не начат. Повторите через 1 с.",
                "extensions": {"code": "OVERLOADED", "retryAfter": 1},
            }
        ]
    }
    # Health passes beside it.
    assert narrow.client.get("/healthz").status_code == 200

    for caller in leaves:
        caller.socket.close()
    assert [caller.answer().code for caller in running] == ["DEADLINE_EXCEEDED"] * 2
    assert json.loads(stays.answer().body)["data"] == {"__typename": "Query"}
    eventually(lambda: len(statuses(narrow)) >= before + 6, within=30)
    assert sorted(statuses(narrow)[before:]) == [200, 200, 200, 499, 499, 503]
    assert cache_client().exists("graphql:bucket:10.7.0.2") == 1
    assert cache_client().exists("graphql:bucket:10.7.0.3") == 0


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    """The process does nothing; the kernel goes on taking connections and their bytes for it."""
    process = server.process()
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_requests_whose_clients_left_while_the_process_was_busy_are_not_begun(
    narrow: Server, callers: Callable[..., Caller]
) -> None:
    cache_client().delete("graphql:bucket:10.7.0.4", "graphql:bucket:10.7.0.5")
    before = len(statuses(narrow))
    with stopped(narrow):
        for _ in range(20):
            callers(narrow, address="10.7.0.4").ask(QUICK).socket.close()
        stays = callers(narrow, address="10.7.0.5").ask(QUICK)

    assert stays.answer().status == 200
    eventually(lambda: len(statuses(narrow)) >= before + 21, within=30)
    assert sorted(statuses(narrow)[before:]) == [200] + [499] * 20
    assert cache_client().exists("graphql:bucket:10.7.0.4") == 0
    assert cache_client().exists("graphql:bucket:10.7.0.5") == 1


def test_slow_senders_hold_no_turn_and_are_ended_with_408(narrow: Server, callers: Callable[..., Caller]) -> None:
    slow = [callers(narrow) for _ in range(8)]
    for caller in slow:
        caller.send_head(1_000)
        caller.socket.sendall(b"{")

    assert narrow.client.post("/graphql", json=QUICK).json()["data"] == {"__typename": "Query"}

    answers = [caller.answer() for caller in slow]
    assert {(answer.status, answer.code, answer.headers["connection"]) for answer in answers} == {
        (408, "BAD_REQUEST", "close")
    }


@pytest.fixture(scope="module")
def small(serve: Callable[..., Server]) -> Server:
    """Few bodies may come at once, and few large ones be held; so of Django's bodies."""
    return serve(
        GRAPHQL_MAX_READING="2",
        GRAPHQL_MAX_BODIES_BYTES="200000",
        DJANGO_MAX_BODY_BYTES="100000",
        DJANGO_MAX_BODY_SECONDS="1",
    )


def test_oldest_of_too_many_slow_senders_makes_room_for_the_next(small: Server, callers: Callable[..., Caller]) -> None:
    slow = [callers(small) for _ in range(2)]
    for caller in slow:
        caller.send_head(40)
        caller.socket.sendall(b" " * 3)
        time.sleep(0.2)
    third = callers(small)
    third.send_head(40)

    assert slow[0].answer().status == 408
    slow[1].socket.sendall(json.dumps(QUICK).encode().ljust(37))
    third.socket.sendall(json.dumps(QUICK).encode().ljust(40))
    assert (slow[1].answer().status, third.answer().status) == (200, 200)


def test_large_bodies_that_do_not_end_leave_room_for_ordinary_ones(
    small: Server, callers: Callable[..., Caller]
) -> None:
    large = callers(small)
    large.send_head(900_000)
    large.socket.sendall(b" " * 190_000)
    time.sleep(0.5)
    another = callers(small)
    another.send_head(900_000)
    another.socket.sendall(b" " * 100_000)

    assert another.answer().code == "OVERLOADED"
    assert small.client.post("/graphql", json=QUICK).json()["data"] == {"__typename": "Query"}
    large.socket.close()
    content = b" " * 150_000 + json.dumps(QUICK).encode()
    # What the one that left had drawn is there again.
    eventually(lambda: post(small, content).status_code == 200, within=30)


def test_body_for_django_that_is_too_slow_or_too_large_is_ended_and_holds_no_turn(
    small: Server, callers: Callable[..., Caller]
) -> None:
    # Half a body holds no turn; one too slow or too large is ended.
    slow, large = callers(small, path="/admin/login/"), callers(small, path="/admin/login/")
    slow.send_head(10)
    large.send_head(200_000)
    large.socket.sendall(b"x" * 150_000)

    assert small.client.get("/admin/login/").status_code == 200
    assert large.answer().status == 413
    assert slow.answer().status == 408


def test_django_request_beyond_its_turns_is_told_to_come_back_and_one_whose_client_left_is_not_begun(
    narrow: Server, callers: Callable[..., Caller]
) -> None:
    before = len(statuses(narrow, "/images/P.svg"))
    running = callers(narrow, path="/images/P.svg").get()
    time.sleep(0.5)
    waiting = callers(narrow, path="/images/P.svg").get()
    time.sleep(0.5)

    refused = callers(narrow, path="/images/P.svg", language="en").get().answer()

    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert refused.body == "The server is busy, try again shortly."
    assert narrow.client.post("/graphql", json=QUICK).status_code == 200
    waiting.socket.close()
    assert running.answer().status >= 500
    eventually(lambda: len(statuses(narrow, "/images/P.svg")) >= before + 3, within=30)
    assert 499 in statuses(narrow, "/images/P.svg")[before:]
