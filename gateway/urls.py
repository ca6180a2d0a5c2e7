from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from admin_ext.favicon import favicon
from admin_ext.palette import show_found
from catalog.pictures.serving import picture_file
from catalog.products.images import product_image
from gateway.accounts.sign_in.staff_form import StaffSignIn
from gateway.viewer.download import own_data
from gateway.web.error_pages import show_bad_request, show_fault, show_not_allowed, show_not_found
from ordering.webhook.development_page import development_payment_page
from ordering.webhook.endpoint import payments_webhook

admin.site.login_form = StaffSignIn
admin.site.show_found = show_found  # type: ignore[attr-defined]

handler400 = show_bad_request
handler403 = show_not_allowed
handler404 = show_not_found
handler500 = show_fault

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/language/", set_language, name="set_language"),
    path("admin/", include("admin_ext.boards.urls")),
    path("admin/", include("admin_ext.stock.urls")),
    path("admin/", include("gateway.accounts.team.urls")),
    path("admin/", admin.site.urls),
    path("account/data.json", own_data),
    path("favicon.ico", favicon),
    path("images/<str:product_id>.svg", product_image),
    path("media/<path:name>", picture_file),
    path("payments/webhook", payments_webhook),
]

if not settings.PRODUCTION:
    urlpatterns += [path(settings.DEVELOPMENT_PAYMENT_PAGE.lstrip("/"), development_payment_page)]
