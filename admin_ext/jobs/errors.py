from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class UnknownJob(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого задания нет.", "There is no such job.")


class WrongState(DomainError):
    code = Code.CONFLICT
    text = Text("Задание уже в другом состоянии: обновите страницу.", "The job is in another state by now: reload.")


class NotUndoable(DomainError):
    code = Code.CONFLICT
    text = Text("Это задание ничего не изменило или уже отменено.", "This job changed nothing, or is undone already.")
