"""The form by which staff sign in to the admin: failures count as in the API, against the same limits."""

from typing import TYPE_CHECKING, Any, cast

from django.core.exceptions import ValidationError
from django.http import HttpRequest

from gateway.accounts.errors import TooManyFailures, TooManySignIns
from gateway.accounts.models import User
from gateway.accounts.sign_in import attempts, known_devices
from gateway.accounts.sign_in.hashing import hashing_pool
from gateway.web.http import UNKNOWN, network_of

if TYPE_CHECKING:
    from django.contrib.auth.forms import AuthenticationForm
else:
    from unfold.forms import AuthenticationForm


class StaffSignIn(AuthenticationForm):
    def clean(self) -> dict[str, Any]:
        try:
            return hashing_pool().run(self._recognise)
        except (TooManyFailures, TooManySignIns) as error:
            raise ValidationError(error.message()) from error

    def _recognise(self) -> dict[str, Any]:
        request = self.request or HttpRequest()
        client = network_of(request.META.get("REMOTE_ADDR", UNKNOWN))
        device = request.COOKIES.get(known_devices.COOKIE)
        attempt = attempts.begin(self.cleaned_data.get("username", ""), client, device)
        cleaned: dict[str, Any] = super().clean()
        attempt.take_back()
        user = cast("User | None", self.get_user())
        if user is None:  # a field was left empty, and nobody was looked for
            return cleaned
        known_devices.remember_network(client, user)
        # For the middleware, which makes a cookie of it.
        request.new_device = known_devices.device_proof(user, device)  # type: ignore[attr-defined]
        return cleaned
