"""The form by which staff sign in to the admin: failures count as in the API, against the same limits."""

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError

from gateway.accounts import attempts
from gateway.accounts.errors import TooManyFailures, TooManySignIns
from gateway.accounts.hashing import hashing_pool
from gateway.http import UNKNOWN, network_of


class StaffSignIn(AdminAuthenticationForm):
    def clean(self) -> dict[str, Any]:
        try:
            return hashing_pool().run(self._recognised)
        except (TooManyFailures, TooManySignIns) as error:
            raise ValidationError(error.message()) from error

    def _recognised(self) -> dict[str, Any]:
        address = self.request.META.get("REMOTE_ADDR", UNKNOWN) if self.request else UNKNOWN
        attempt = attempts.begin(self.cleaned_data.get("username", ""), network_of(address))
        cleaned: dict[str, Any] = super().clean()
        attempt.take_back()
        return cleaned
