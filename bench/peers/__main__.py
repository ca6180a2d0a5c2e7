"""What a request costs us and the best-known GraphQL servers of Node, over the same collections: `make bench B=peers`.

All answer the same requests of the catalog with the same bytes, which is checked first. Then each is asked in turns, so
that a noisy machine disturbs all alike, and the CPU time of its processes is divided by the requests. `cost` tells how
often the gateway's fits into it: above 1 the gateway is cheaper; the median over the rounds, and the least and most.
With --cached four of five requests repeat earlier ones, and both sides remember responses.
"""

import argparse
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from http.client import HTTPConnection

from bench.connection import HOST, post
from bench.peers.rounds import Measured, Requests, Round, client_process, measure, median
from bench.peers.servers import CACHED_PEER, PEERS, peers
from bench.peers.shapes import DOCUMENTS, PERSONAL, contents
from bench.peers.shop import BUYER, Shop, empty, filled
from bench.processes import divided_cores, pin, stores_pinned
from bench.web import GATEWAY, Server, python_told, web_server

SIGN_IN = "mutation($email:String!,$password:String!){login(email:$email,password:$password){token}}"
# Of each shape; with the variables of these the answers are compared byte for byte.
COMPARED = 25
# Requests of a shape that are asked over and over.
BODIES = 400
# With a cache of responses: those that repeat, and those of one round that do not.
HOT, FRESH = 20, 4_000
# Shapes of so many variables that what is new in a round is new to every cache.
SHAPES_OF_A_CACHE = ("page", "card", "home")
DATA = b'{"data":'
# Of each server and shape in a round: a busy machine answers few in some seconds.
LEAST = 200
# The gateway without its cache of answers, which its peers do not have either.
FORGETFUL = {"GRAPHQL_ANSWERS_BYTES": "0"}

Results = dict[tuple[str, str], list[Measured]]
"""By shape and server, a figure for each round."""


def main() -> None:
    arguments = _arguments()
    shop = filled(arguments.products)
    _say(python_told())
    try:
        different = _measure(shop, arguments)
    finally:
        if not arguments.keep:
            empty()
    if different:
        sys.exit(1)


def _measure(shop: Shop, arguments: argparse.Namespace) -> int:
    """Compare, measure and report; returns how many answers differ from the gateway's."""
    cores = divided_cores()
    with ExitStack() as ended:
        stores = ended.enter_context(stores_pinned(cores.others))
        client = ended.enter_context(client_process(cores.others))
        servers = _start(arguments.peers, shop, ended, cached=arguments.cached)
        for server in servers:
            pin(server.pid, cores.server)
        apart = f"servers on core {set(cores.server)}, clients and {stores} stores on {set(cores.others)}"
        _say(apart if cores.are_apart else "one core for all: figures are rough")
        token = _token(servers[0])
        different = sum(_compare(shape, shop, servers, token) for shape in arguments.only)
        _say(f"answers compared: {different or 'no'} differences")
        results: Results = {}
        # Node compiles what runs often: the first round is for that.
        for number in range(-1, arguments.rounds):
            asked = (arguments.seconds, LEAST) if number >= 0 else (0.0, arguments.warm)
            of = Round(arguments.connections, *asked)
            for shape in arguments.only:
                requests = _requests(shape, shop, token, cached=arguments.cached, number=number)
                for server in servers if number % 2 else reversed(servers):
                    measured = measure(server, requests, of, client)
                    if number >= 0:
                        results.setdefault((shape, server.name), []).append(measured)
    _report(arguments.only, [server.name for server in servers], results, cached=arguments.cached)
    return different


def _start(kinds: Sequence[str], shop: Shop, ended: ExitStack, *, cached: bool) -> list[Server]:
    node = ended.enter_context(peers(shop))
    gateway = ended.enter_context(web_server(variables={} if cached else FORGETFUL))
    return [gateway, *(ended.enter_context(node.server(kind)) for kind in kinds)]


def _requests(shape: str, shop: Shop, token: str, *, cached: bool, number: int) -> Requests:
    headers = _headers(shape, token)
    if not cached:
        return Requests([post(each, headers) for each in itertools.islice(contents(shape, shop), BODIES)])
    first = HOT + (number + 1) * FRESH
    fresh = itertools.islice(contents(shape, shop), first, first + FRESH)
    hot = itertools.islice(contents(shape, shop), HOT)
    return Requests([post(each, headers) for each in fresh], [post(each, headers) for each in hot])


def _compare(shape: str, shop: Shop, servers: Sequence[Server], token: str) -> int:
    """How many answers differ from the gateway's; the first one is shown."""
    different = 0
    for content in itertools.islice(contents(shape, shop), COMPARED):
        ours, *theirs = (_data(server, content, _headers(shape, token)) for server in servers)
        for server, data in zip(servers[1:], theirs, strict=True):
            if data != ours and not different:
                _say(f"{server.name} differs in {shape} {content['variables']}:\n  {data:.600}\n  {ours:.600}")
            different += data != ours
    return different


def _data(server: Server, content: object, headers: Mapping[str, str]) -> str:
    """The text of `data` as the server wrote it."""
    text = _asked(server, content, headers)
    if not text.startswith(DATA):
        return text.decode()
    decoded = text[len(DATA) :].decode()
    return decoded[: json.JSONDecoder().raw_decode(decoded)[1]]


def _asked(server: Server, content: object, headers: Mapping[str, str]) -> bytes:
    connection = HTTPConnection(HOST, server.port, timeout=30)
    try:
        connection.request("POST", "/graphql", json.dumps(content), {"content-type": "application/json", **headers})
        return connection.getresponse().read()
    finally:
        connection.close()


def _headers(shape: str, token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token}"} if shape in PERSONAL else {}


def _token(gateway: Server) -> str:
    answer = json.loads(_asked(gateway, {"query": SIGN_IN, "variables": BUYER}, {}))
    return str(answer["data"]["login"]["token"])


def _report(shapes: Sequence[str], names: Sequence[str], results: Results, *, cached: bool) -> None:
    _say(f"\n{'':9}{'':14}{'CPU':>9}{'cost':>8}{'':16}{'req/s':>7}{'p50':>9}{'p95':>9}")
    for shape in shapes:
        ours = results[shape, GATEWAY]
        for name in names:
            theirs = results[shape, name]
            ratios = [other.cpu_us / one.cpu_us for other, one in zip(theirs, ours, strict=True)]
            spread = f"{statistics.median(ratios):8.2f} [{min(ratios):.2f} – {max(ratios):.2f}]"
            middle = median(theirs)
            times = f"{middle.per_second:7.0f}{middle.p50_ms:7.1f} ms{middle.p95_ms:6.1f} ms"
            hits = f"{middle.remembered:6.0%} hits" if cached else ""
            failed = f"   {middle.failed} FAILED" if middle.failed else ""
            _say(f"{shape:9}{name:14}{middle.cpu_us:6.0f} µs{spread:24}{times}{hits}{failed}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Reads a list of such names with commas between them."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        if unknown := set(names) - set(known):
            raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: not of {', '.join(known)}")
        return names

    return read


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPU per request: the gateway and GraphQL servers of Node.")
    of_shapes, of_peers = _names(tuple(DOCUMENTS)), _names((*PEERS, CACHED_PEER))
    parser.add_argument("--only", type=of_shapes, help=f"shapes, with commas: {','.join(DOCUMENTS)}")
    parser.add_argument("--peers", type=of_peers, help=f"with commas: {','.join(PEERS)}")
    parser.add_argument("--cached", action="store_true", help="four of five requests repeat, both remember responses")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each server and shape in a round")
    parser.add_argument("--warm", type=int, default=2_000, help="requests of each in the round before the first")
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--keep", action="store_true", help="leave the shop, for the next run")
    arguments = parser.parse_args()
    arguments.only = arguments.only or (SHAPES_OF_A_CACHE if arguments.cached else tuple(DOCUMENTS))
    arguments.peers = arguments.peers or ((CACHED_PEER,) if arguments.cached else PEERS)
    return arguments


if __name__ == "__main__":
    main()
