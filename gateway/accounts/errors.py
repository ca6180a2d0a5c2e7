"""Errors of signing in and registering, and of what staff do with accounts."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class BadCredentials(DomainError):
    """One text for an unknown address, a wrong password and a closed account: strangers must not learn which."""

    code = Code.BAD_CREDENTIALS
    text = Text("Неверный e-mail или пароль.", "Wrong e-mail or password.")


class WrongPassword(DomainError):
    """Said to somebody who is signed in already, so it tells which account only to its owner."""

    code = Code.BAD_CREDENTIALS
    text = Text("Неверный пароль.", "Wrong password.")


class TooManyFailures(DomainError):
    code = Code.RATE_LIMITED
    text = Text(
        "Слишком много неудачных попыток входа. Повторите через {minutes} мин.",
        "Too many failed attempts to sign in. Try again in {minutes} min.",
    )


class TooManyDownloads(DomainError):
    code = Code.RATE_LIMITED
    text = Text(
        "Данные скачивали слишком часто. Повторите через {minutes} мин.",
        "Your data was downloaded too often. Try again in {minutes} min.",
    )


class TooManyLetters(DomainError):
    """Said alike for an address that has an account and for any other."""

    code = Code.RATE_LIMITED
    text = Text(
        "Письма на этот адрес или из вашей сети запрашивали слишком часто. Повторите через {minutes} мин.",
        "Too many letters to this address, or from your network. Try again in {minutes} min.",
    )


class TooManyRegistrations(DomainError):
    code = Code.RATE_LIMITED
    text = Text(
        "Из вашей сети зарегистрировано слишком много учётных записей. Повторите через {minutes} мин.",
        "Too many accounts were made from your network. Try again in {minutes} min.",
    )


class TooManySignIns(DomainError):
    """The process hashes as many passwords at once as it may. Nothing was counted against anybody."""

    code = Code.RATE_LIMITED
    text = Text(
        "Сейчас входит слишком много людей. Повторите через несколько секунд.",
        "Too many people are signing in at the moment. Try again in a few seconds.",
    )


class EmailTaken(DomainError):
    code = Code.EMAIL_TAKEN
    text = Text("Учётная запись с этим адресом уже есть.", "There is an account with this address already.")


class WeakPassword(DomainError):
    """A reason that one of Django's validators gives; `ru` and `en` hold the validator's own words."""

    code = Code.WEAK_PASSWORD
    text = Text("{ru}", "{en}")


class UnknownAccount(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такой учётной записи нет.", "There is no such account.")


class AnonymisedAccount(DomainError):
    """Nothing of the person is left to work with."""

    code = Code.CONFLICT
    text = Text("Покупатель обезличен.", "The customer has been anonymised.")


class NotTyped(DomainError):
    """The second question of a step that cannot be undone was not answered."""

    code = Code.INVALID
    text = Text("Наберите e-mail покупателя или номер его учётной записи.", "Type the customer's e-mail or account id.")


class OwnAccount(DomainError):
    code = Code.FORBIDDEN
    text = Text("Свою учётную запись меняет другой администратор.", "Your own account is changed by a colleague.")


class StaffAccount(DomainError):
    """Accounts of staff have a second factor, letters and an audit of their own, see gateway/accounts/team/."""

    code = Code.FORBIDDEN
    text = Text("Учётную запись сотрудника меняют в админке.", "An account of staff is changed in the admin.")


class UnknownSession(DomainError):
    code = Code.NOT_FOUND
    text = Text("Среди ваших сеансов такого нет.", "There is no such session among yours.")


class LastAdministrator(DomainError):
    code = Code.CONFLICT
    text = Text("Это последний администратор: сначала назначьте другого.", "The last administrator: name another.")


class UnknownRole(DomainError):
    code = Code.NOT_FOUND
    text = Text("Таких ролей нет: {roles}.", "There are no such roles: {roles}.")


class NotInvited(DomainError):
    code = Code.CONFLICT
    text = Text("Приглашение уже принято.", "The invitation has been accepted.")


class DeadLink(DomainError):
    """Expired, used, or made up: whoever holds it learns no more."""

    code = Code.NOT_FOUND
    text = Text("Ссылка больше не действует. Попросите новую.", "The link does not work any more. Ask for a new one.")


class WrongCode(DomainError):
    code = Code.BAD_CREDENTIALS
    text = Text("Неверный код. Подождите следующего.", "Wrong code. Wait for the next one.")
