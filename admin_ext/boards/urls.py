"""Addresses of the boards; under /admin/."""

from django.contrib import admin
from django.urls import path

from admin_ext.boards.boards import BOARDS
from admin_ext.boards.views import BoardSheet, BoardView

urlpatterns = [
    path(f"boards/{board.code}/{address}", admin.site.admin_view(view.as_view(board=board)), name=name)
    for board in BOARDS
    for address, view, name in (
        ("", BoardView, f"board_{board.code}"),
        ("csv/", BoardSheet, f"board_{board.code}_csv"),
    )
]
