"""Everything that is recorded has its words, in both languages."""

import pytest

from gateway.audit.labels import ACTIONS, KINDS, SOURCES, actions_of, kind_of
from gateway.audit.trail import Action, Source


@pytest.mark.parametrize("action", Action, ids=lambda action: action.value)
def test_every_action_has_its_words_and_its_kind_of_object(action: Action) -> None:
    told = ACTIONS[action]

    assert kind_of(action) in KINDS
    for text in told.line:
        assert "{object}" in text
    for text in told.name:
        assert text
        assert "{" not in text


def test_actions_of_one_kind_are_told_apart() -> None:
    for kind in KINDS:
        names = [ACTIONS[action].name for action in actions_of(kind)]
        assert len(set(names)) == len(names)


def test_every_source_has_its_words() -> None:
    assert set(SOURCES) == {source.value for source in Source}
