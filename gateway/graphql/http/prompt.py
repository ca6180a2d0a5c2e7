"""Kept answers given at once: to whoever asks, byte for byte, what was asked before.

Every rule of the endpoint holds here too. Where one would refuse the request, or must ask Redis first, nothing is done:
the endpoint does it. Only GET is left to it altogether.
"""

from functools import lru_cache
from typing import NamedTuple

from django.conf import settings

from gateway.accounts.sessions.cookies import sent_session_id
from gateway.accounts.sessions.recent_changes import RECENT_CHANGES
from gateway.domain.texts import Language, accepted_language
from gateway.graphql.answers.kept import Lookup
from gateway.graphql.answers.questions import Question
from gateway.graphql.documents import persisted_queries
from gateway.graphql.errors import RequestRefused
from gateway.graphql.http import browsers, cache_headers, charges, endpoint, negotiation, throttle
from gateway.graphql.http.negotiation import GRAPHQL_RESPONSE, JSON
from gateway.graphql.http.requests import check_method
from gateway.web.clients import client_of
from gateway.web.compression import compressed
from gateway.web.http import PromptAnswer, Scope, header, header_lines, header_values

# The headers by which requests differ in what every answer to them has in common.
_DECIDING = (b"accept", b"accept-language", b"cache-control", b"content-type", b"origin")
# Clients of one kind send the same: a few dozen are common.
REMEMBERED_TERMS = 256
# Of all these headers together; whoever sends more is served by the endpoint.
LONGEST_HEADERS = 1_000

Headers = tuple[bytes | None, ...]


class _Terms(NamedTuple):
    """What the headers of a request ask for."""

    language: Language
    head: bytes
    """The lines that are the same in all answers to such requests."""


def graphql_at_once(scope: Scope, body: bytes) -> PromptAnswer | None:
    """The kept answer to a question that was asked before in the same words; None where the endpoint is to answer."""
    if scope["method"] != "POST" or not settings.GRAPHQL_ANSWERS_BYTES:
        return None
    terms = _terms_of(scope)
    question = endpoint.questions.find(body, terms.language) if terms else None
    if terms is None or question is None or not _is_valid(question):
        return None
    client = client_of(scope)
    if charges.owes(client) or not endpoint.turns.are_free(client) or not _takes_kept(scope):
        return None
    kept = endpoint.answers.find(question.key)
    spent = throttle.spend_held(client, max(question.price, throttle.LEAST)) if kept else None
    if kept is None or spent is None:
        return None
    endpoint.answers.counts[Lookup.HIT] += 1
    content = endpoint.kept_content(kept, question.price, spent)
    head = b"%bage: %d\r\n" % (terms.head, kept.age())
    if (found := compressed(content, header(scope, "accept-encoding"))) is not None:
        content = found.body
        head += b"content-encoding: %b\r\n" % found.encoding.encode()
    return PromptAnswer(b"%bcontent-length: %d\r\n" % (head, len(content)), content)


def _is_valid(question: Question) -> bool:
    """Whether it would be judged today as it was then."""
    return (
        question.price <= settings.GRAPHQL_MAX_COST
        and question.operations == settings.GRAPHQL_OPERATIONS
        and (question.id is None or persisted_queries.is_known(question.id, question.digest))
    )


def _takes_kept(scope: Scope) -> bool:
    """Whether the client is known to take what was made for another one: not staff who have just changed something."""
    session_id = sent_session_id(scope)
    return session_id is None or RECENT_CHANGES.are_known_without(session_id)


def _terms_of(scope: Scope) -> _Terms | None:
    """The terms of a request that may be answered at once; None for any other."""
    given = header_values(scope, _DECIDING)
    if sum(len(value) for value in given if value) > LONGEST_HEADERS:
        return None
    return _terms(given, (*settings.GRAPHQL_CORS_ORIGINS, settings.GRAPHQL_CORS_CREDENTIALS, settings.PRODUCTION))


@lru_cache(REMEMBERED_TERMS)
def _terms(given: Headers, _rules: tuple[str | bool, ...]) -> _Terms | None:
    """The terms of such headers, under the settings that `_rules` tells apart."""
    headers = [(name, value) for name, value in zip(_DECIDING, given, strict=True) if value is not None]
    scope: Scope = {"method": "POST", "headers": headers}
    media_type = negotiation.chosen(header(scope, "accept"), (JSON, GRAPHQL_RESPONSE))
    if media_type is None or cache_headers.wants_anew(header(scope, "cache-control")):
        return None
    try:
        # No other site can make a browser send JSON unasked: what passes here is not forged.
        check_method(scope)
    except RequestRefused:
        return None
    always = {
        "content-type": f"{media_type}; charset=utf-8",
        "vary": endpoint.VARY,
        **browsers.cors_headers(scope),
        "cache-control": cache_headers.NO_STORE,
        "x-cache": "hit",
    }
    lines = header_lines((name.encode("latin-1"), value.encode("latin-1")) for name, value in always.items())
    return _Terms(accepted_language(header(scope, "accept-language")), lines)
