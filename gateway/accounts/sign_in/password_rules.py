"""The rules that a new password must meet: the settings' AUTH_PASSWORD_VALIDATORS."""

_DJANGO = "django.contrib.auth.password_validation"

PASSWORD_RULES = [
    {
        "NAME": f"{_DJANGO}.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name", "phone")},
    },
    {"NAME": f"{_DJANGO}.MinimumLengthValidator"},
    {"NAME": f"{_DJANGO}.CommonPasswordValidator"},
    {"NAME": f"{_DJANGO}.NumericPasswordValidator"},
]
