"""Pictures that are uploaded in the form: by its script one by one, without it together with the form."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse

from catalog.admin.product_form.rows import THUMBNAIL, Row
from catalog.errors import NotAPicture, PictureGone
from catalog.pictures.addresses import name_in, thumbnail_of
from catalog.pictures.encoding import check_bytes
from catalog.pictures.uploads import keep_pictures, store_picture
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError, Refused
from gateway.staff.language import staff_language


class Added(NamedTuple):
    """What became of files that came with the form."""

    rows: list[Row]
    refusals: list[str]


def upload(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One picture of the form's script: its address, or why it is refused. Sent again, the same picture."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    file = request.FILES.get("picture")
    try:
        if file is None:
            raise NotAPicture
        row = _stored(file, actor)
    except DomainError as refusal:
        return JsonResponse({"error": refusal.message(staff_language())}, status=400)
    return JsonResponse({"url": row["url"], "thumbnail": thumbnail_of(row, THUMBNAIL)})


def added(rows: Sequence[Row], files: Iterable[UploadedFile], actor: Actor) -> Added:
    """The rows, with one for each of the files behind them; a file that is refused holds up no other."""
    by_url, refusals = {row["url"]: row for row in rows}, []
    new: list[Row] = []
    for file in files:
        try:
            row = _stored(file, actor)
        except DomainError as refusal:
            refusals.append(f"«{file.name}»: {refusal.message(staff_language())}")
        else:
            if row["url"] not in by_url:
                by_url[row["url"]] = row
                new.append(row)
    return Added([*rows, *new], refusals)


def keep_for(images: Sequence[Any], shown: Sequence[Any]) -> None:
    """Keep the uploads among the images until the product shows them. Raises `Refused` for those that are gone."""
    known = {image["url"] for image in shown}
    names = {index: name_in(image["url"]) for index, image in enumerate(images) if image["url"] not in known}
    gone = set(keep_pictures([name for name in names.values() if name]))
    if gone:
        raise Refused([PictureGone("images", index, "url") for index, name in names.items() if name in gone])


def _stored(file: UploadedFile, actor: Actor) -> Row:
    check_bytes(file.size or 0)
    file.seek(0)
    return {"url": store_picture(file.read(), actor=actor).url, "alt": ""}
