"""The order of relevance: every word in the name, then some of them, then the description alone."""

from catalog.listing.filters import Walk, Wanted, checks_beside_words
from catalog.models import searched
from gateway.mongo.client import Expression


def ranked(wanted: Wanted) -> list[Walk]:
    """One walk per rank, the best first; together they find each match exactly once."""
    # A long word is rarer than a short one, as a rule; on a first page the server tries the others too.
    first = max(wanted.words, key=lambda word: len(word.terms[0]))
    others = [word for word in wanted.words if word is not first]
    anywhere = [_has(word.terms) for word in others]
    in_name = [_has(word.in_name) for word in wanted.words]
    beside = checks_beside_words(wanted)

    def walk(terms: tuple[str, ...], *checks: Expression) -> Walk:
        return Walk(searched().name, (("terms", terms),), (*checks, *beside))

    every = walk(first.in_name, *(_has(word.in_name) for word in others))
    none = walk(first.terms, *anywhere, {"$nor": in_name})
    if not others:
        return [every, none]
    some = walk(first.terms, *anywhere, {"$or": in_name}, {"$nor": [{"$and": in_name}]})
    return [every, some, none]


def _has(terms: tuple[str, ...]) -> Expression:
    return {"terms": {"$in": list(terms)}}
