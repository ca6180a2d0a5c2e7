from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from catalog.products.images import product_image
from gateway.accounts.sign_in.staff_form import StaffSignIn
from ordering.webhook.endpoint import payments_webhook

admin.site.site_title = admin.site.site_header = "Мобильный мир"
admin.site.index_title = "Управление магазином"
admin.site.login_form = StaffSignIn
admin.site.site_url = None  # the storefront is another application

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("images/<str:product_id>.svg", product_image),
    path("payments/webhook", payments_webhook),
]
