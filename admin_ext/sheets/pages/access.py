"""Who may load files, export products, and get the files that came of it."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from admin_ext.jobs.pages.access import SEE_ALL
from admin_ext.sheets.documents import FileDocument, ImportDocument
from admin_ext.sheets.export import SEE_PRODUCTS
from admin_ext.sheets.files import FileGone
from admin_ext.sheets.imports import import_of
from gateway.accounts.models import User

# A file makes products as well as it changes them; stock has a right of its own, asked of each row.
IMPORT = ("catalog.add_product", "catalog.change_product")
CHANGE_STOCK = "catalog.change_stocklevel"


def reader(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the site lets nobody else in
    return request.user


def may_see_products(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.has_perm(SEE_PRODUCTS)


def may_import(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.has_perms(IMPORT)


def sees_all(user: User) -> bool:
    """Whoever sees the jobs of colleagues sees their imports and exports too."""
    return user.has_perm(SEE_ALL)


def import_for(request: HttpRequest, import_id: str) -> ImportDocument:
    """The import, for somebody who may work on it; nobody is told of those of others."""
    if not may_import(request):
        raise PermissionDenied
    try:
        sheet = import_of(import_id)
    except FileGone as gone:
        raise Http404 from gone
    if not _is_theirs(reader(request), sheet["owner"]):
        raise Http404
    return sheet


def may_get(user: User, file: FileDocument) -> bool:
    return user.has_perm(SEE_PRODUCTS) and _is_theirs(user, file["owner"])


def _is_theirs(user: User, owner: str) -> bool:
    return owner == str(user.pk) or sees_all(user)
