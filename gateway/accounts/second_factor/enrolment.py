"""Enrolling a telephone, and forgetting one that was lost."""

from datetime import UTC, datetime

from gateway.accounts.documents import SecondFactorDocument
from gateway.accounts.errors import OwnAccount, WrongCode
from gateway.accounts.models import User
from gateway.accounts.second_factor.codes import FACTORS, accept_code, hashed, new_recovery_codes
from gateway.accounts.sign_out import end_sessions
from gateway.accounts.team.members import member
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction


def enrol(user: User, code: str, *, actor: Actor) -> list[str]:
    """Ask for codes from now on, since the telephone shows the right one; returns the recovery codes, shown once.

    Raises WrongCode.
    """
    if not accept_code(user, code, confirmed=False):
        raise WrongCode("code")
    recovery = new_recovery_codes()
    in_transaction(lambda: _confirm(user, recovery, actor))
    user.refresh_from_db()
    return recovery


def forget_second_factor(user_id: str, *, actor: Actor) -> None:
    """Ask this member of staff for no code any more, and sign them out: the telephone was lost. Raises OwnAccount."""
    if user_id == actor.id:
        raise OwnAccount
    user = in_transaction(lambda: _forget(user_id, actor))
    end_sessions(user)


def _confirm(user: User, recovery: list[str], actor: Actor) -> None:
    now = datetime.now(UTC)
    kept = {"confirmed": True, "recovery": [hashed(code)[0] for code in recovery]}
    collection_of(FACTORS, SecondFactorDocument).update_one(
        {"_id": str(user.pk)}, {"$set": kept}, session=orm_connection().session
    )
    User.objects.filter(pk=user.pk).update(second_factor_at=now)
    changes = {"second_factor": (False, True)}
    record(Action.STAFF_SECOND_FACTOR_CHANGED, f"staff:{user.pk}", actor=actor, changes=changes)


def _forget(user_id: str, actor: Actor) -> User:
    user = member(user_id)
    collection_of(FACTORS, SecondFactorDocument).delete_one({"_id": user_id}, session=orm_connection().session)
    if user.second_factor_at is not None:
        user.second_factor_at = None
        user.session_generation += 1
        user.save(update_fields=["second_factor_at", "session_generation"])
        changes = {"second_factor": (True, False)}
        record(Action.STAFF_SECOND_FACTOR_CHANGED, f"staff:{user_id}", actor=actor, changes=changes)
    return user
