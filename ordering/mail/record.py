"""What became of each letter, as it stands in the order under `letters`: for staff, who send one again where it failed.

It is kept with the order as long as MongoDB has it, and is no part of its copies in Cassandra: a letter that is sent
makes no new version.
"""

from enum import Enum

from gateway.mongo.client import Expression, Pipeline
from gateway.outbox import NOW

LETTERS: Expression = {"$ifNull": ["$letters", []]}


class LetterState(Enum):
    DUE = "due"
    SENT = "sent"
    FAILED = "failed"
    """It will be tried again."""
    GIVEN_UP = "given_up"


def due_letter(letter_id: Expression | str, event_id: Expression | str, to: str, by: str | None = None) -> Expression:
    """Part of `$set`: one more letter that is to be sent. `by`: who of the staff has it sent again."""
    letter = {"id": letter_id, "event": event_id, "at": NOW, "to": {"$literal": to}, "state": LetterState.DUE.value}
    asked = {"by": {"$literal": by}} if by else {}
    return {"letters": {"$concatArrays": [LETTERS, [letter | asked]]}}


def with_state(letter_id: str, event_id: str, to: str, state: LetterState) -> Pipeline:
    """Stages of an update: the letter is in this state from now on; one that an earlier release owed is added."""
    others = {"$filter": {"input": LETTERS, "as": "letter", "cond": {"$ne": ["$$letter.id", letter_id]}}}
    known = {"$first": {"$filter": {"input": LETTERS, "as": "letter", "cond": {"$eq": ["$$letter.id", letter_id]}}}}
    now = {"id": letter_id, "event": event_id, "at": NOW, "to": {"$literal": to}, "state": state.value}
    return [
        {"$set": {"letters": {"$concatArrays": [others, [{"$mergeObjects": [known, now]}]]}}},
        {"$set": {"mail_given_up": {"$cond": [_IS_GIVEN_UP, True, "$$REMOVE"]}}},
    ]


_SENT_SINCE: Expression = {
    "$anyElementTrue": [
        {
            "$map": {
                "input": "$letters",
                "as": "later",
                "in": {
                    "$and": [
                        {"$eq": ["$$later.event", "$$letter.event"]},
                        {"$eq": ["$$later.state", LetterState.SENT.value]},
                        # Ids begin with their time.
                        {"$gt": ["$$later.id", "$$letter.id"]},
                    ]
                },
            }
        }
    ]
}
_IS_GIVEN_UP: Expression = {
    "$anyElementTrue": [
        {
            "$map": {
                "input": "$letters",
                "as": "letter",
                "in": {"$and": [{"$eq": ["$$letter.state", LetterState.GIVEN_UP.value]}, {"$not": [_SENT_SINCE]}]},
            }
        }
    ]
}
"""Whether a letter was given up that has not been sent again since: the order waits for staff."""
