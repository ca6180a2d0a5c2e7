"""Addresses of the stock's pages; under /admin/."""

from django.contrib import admin
from django.urls import path

from admin_ext.stock.history import history_view
from admin_ext.stock.low import low_file_view, low_view
from admin_ext.stock.sheet import cell_view, sheet_view

urlpatterns = [
    path("stock/low/", admin.site.admin_view(low_view), name="stock_low"),
    path("stock/low.csv", admin.site.admin_view(low_file_view), name="stock_low_file"),
    path("stock/sheet/", admin.site.admin_view(sheet_view), name="stock_sheet"),
    path("stock/sheet/cell/", admin.site.admin_view(cell_view), name="stock_cell"),
    path("stock/history/<str:object_id>/", admin.site.admin_view(history_view), name="stock_history"),
]
