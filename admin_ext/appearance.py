"""How the admin looks: the setting UNFOLD. Everything it names is served by the gateway itself."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse

from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.times import zone_text

SHOP = Text("Мобильный мир", "Mobile World")
PLACE = Text("Рабочее место", "Staff desk")
TIMES_ARE = Text("Время: {zone}", "Times: {zone}")
DEVELOPMENT = Text("Разработка", "Development")
SECOND_FACTOR = Text("Второй фактор", "Second factor")

# Petrol: calm beside the red, orange and green of labels. White on 600 and 500 on the dark ground read at 5 : 1.
PETROL = {
    "50": "oklch(97.5% .012 220)",
    "100": "oklch(94.5% .026 220)",
    "200": "oklch(89.5% .048 220)",
    "300": "oklch(82% .078 220)",
    "400": "oklch(73% .1 220)",
    "500": "oklch(66% .105 222)",
    "600": "oklch(50% .092 225)",
    "700": "oklch(43.5% .08 227)",
    "800": "oklch(37% .068 228)",
    "900": "oklch(31.5% .056 229)",
    "950": "oklch(23.5% .042 231)",
}


def shop_name(request: HttpRequest) -> str:
    return said(SHOP)


def place(request: HttpRequest) -> str:
    return said(PLACE)


def environment_badge(request: HttpRequest) -> list[str] | None:
    """Text and kind of the label in the header, so that nobody takes a trial for the shop; None in production."""
    return None if settings.PRODUCTION else [said(DEVELOPMENT), "warning"]


def environment_prefix(request: HttpRequest) -> str | None:
    """The same in the title of the browser's tab."""
    return None if settings.PRODUCTION else f"[{said(DEVELOPMENT)}]"


def style_sheet(request: HttpRequest) -> str:
    return static("admin_ext/desk.css")


def favicon(request: HttpRequest) -> str:
    return static("admin_ext/favicon.svg")


def focus_script(request: HttpRequest) -> str:
    return static("admin_ext/focus.js")


def notices_script(request: HttpRequest) -> str:
    return static("admin_ext/notices.js")


def time_zone(request: HttpRequest) -> dict[str, str]:
    """For every page: in which zone its times are."""
    return {"time_zone": said(TIMES_ARE, zone=zone_text())}


def own_pages(request: HttpRequest) -> list[dict[str, str]]:
    """In the menu under the person's name: what concerns their own account."""
    enrolled = getattr(request.user, "second_factor_at", None) is not None
    if enrolled or settings.STAFF_SECOND_FACTOR == "off" or not request.user.is_authenticated:
        return []
    return [{"title": said(SECOND_FACTOR), "link": reverse("staff_second_factor_set_up")}]


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "admin_ext.appearance.shop_name",
    "SITE_HEADER": "admin_ext.appearance.shop_name",
    "SITE_SUBHEADER": "admin_ext.appearance.place",
    "SITE_SYMBOL": "phone_iphone",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "admin_ext.appearance.favicon"}],
    "SITE_URL": None,  # the storefront is another application
    "SHOW_LANGUAGES": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": True,
    "ENVIRONMENT": "admin_ext.appearance.environment_badge",
    "ENVIRONMENT_TITLE_PREFIX": "admin_ext.appearance.environment_prefix",
    "BORDER_RADIUS": "8px",
    "COLORS": {"primary": PETROL},
    "STYLES": ["admin_ext.appearance.style_sheet"],
    "SCRIPTS": ["admin_ext.appearance.focus_script", "admin_ext.appearance.notices_script"],
    "GLOBAL_CALLBACK": "admin_ext.appearance.time_zone",
    "DASHBOARD_CALLBACK": "admin_ext.home.with_cards",
    "ACCOUNT": {"navigation": "admin_ext.appearance.own_pages"},
    "SIDEBAR": {"navigation": "admin_ext.sidebar.navigation"},
}
