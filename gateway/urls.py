from django.contrib import admin
from django.urls import path

from catalog.images import product_image

admin.site.site_title = admin.site.site_header = "Мобильный мир"
admin.site.index_title = "Управление магазином"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("images/<str:product_id>.svg", product_image),
]
