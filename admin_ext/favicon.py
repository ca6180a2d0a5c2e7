"""The shop's sign in the browser's tab, for those who ask for it without looking at the page's links."""

from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse

ICON = Path(__file__).parent / "static" / "admin_ext" / "favicon.ico"
# A browser asks once a day at most; a new sign is nothing to hurry for.
DAY = 86_400


def favicon(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_icon(), content_type="image/x-icon", headers={"Cache-Control": f"public, max-age={DAY}"})


@cache
def _icon() -> bytes:
    return ICON.read_bytes()
