"""Django's contrib apps with ObjectId keys; their migrations, generated for these keys, lie beside this file."""

from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig
from django.contrib.auth.apps import AuthConfig as DjangoAuthConfig
from django.contrib.contenttypes.apps import ContentTypesConfig as DjangoContentTypesConfig

OBJECT_ID = "django_mongodb_backend.fields.ObjectIdAutoField"


class AdminConfig(DjangoAdminConfig):
    default_auto_field = OBJECT_ID
    default_site = "gateway.staff.site.StaffSite"


class AuthConfig(DjangoAuthConfig):
    default_auto_field = OBJECT_ID


class ContentTypesConfig(DjangoContentTypesConfig):
    default_auto_field = OBJECT_ID
