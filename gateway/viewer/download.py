"""GET /account/data.json: whoever is signed in downloads their own data."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from gateway.accounts.errors import TooManyDownloads
from gateway.accounts.models import User
from gateway.accounts.sign_in.attempts import begin_download
from gateway.domain.errors import NotSignedIn
from gateway.domain.texts import accepted_language
from gateway.staff.downloads import download
from gateway.viewer.personal_data import personal_data

FILE = "mobile-world.json"


@require_GET
def own_data(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """By the session's cookie or its Bearer token, as the API. Its blocks are made while they are sent."""
    language = accepted_language(request.headers.get("accept-language"))
    user = request.user
    if not isinstance(user, User):
        return _refused(NotSignedIn().message(language), 401)
    try:
        begin_download(str(user.pk))
    except TooManyDownloads as error:
        return _refused(error.message(language), 429)
    return download(FILE, "application/json; charset=utf-8", personal_data(user))


def _refused(text: str, status: int) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers=headers)
