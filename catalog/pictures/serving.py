"""The gateway's own address of pictures, `/media/…`: from whatever storage there is.

A proxy or CDN in front may serve the files itself; what it does not have it asks for here.
"""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from catalog.errors import PicturesAway
from catalog.pictures.addresses import FILE, file_of
from catalog.pictures.storage import CONTENT_TYPE, read_file
from gateway.buckets import FOR_EVER

# While its thumbnail is being made, the picture itself is shown in its place.
FOR_NOW = "public, max-age=5"
# Opened on the shop's own address too: nothing in it may ever run or load.
CONTENT_SECURITY_POLICY = "default-src 'none'; sandbox"


@require_safe
def picture_file(request: HttpRequest, name: str) -> HttpResponse:
    asked = FILE.fullmatch(name)
    if asked is None:
        raise Http404
    try:
        content = read_file(name)
        is_instead = content is None and asked["width"] is not None
        if is_instead:
            content = read_file(file_of(asked["name"]))
    except PicturesAway:
        return HttpResponse(status=503, headers={"Retry-After": "5"})
    if content is None:
        raise Http404
    return HttpResponse(
        content,
        content_type=CONTENT_TYPE,
        headers={
            "Cache-Control": FOR_NOW if is_instead else FOR_EVER,
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        },
    )
