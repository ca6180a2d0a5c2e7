"""Every setting of the gateway, read from the environment once, with defaults that suit `make run`.

Each variable is described in docs/settings.md; `gateway/production/checks.py` refuses what is unsafe in production.
"""

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from zoneinfo import available_timezones

from environs import Env, ValidationError, validate

from admin_ext.appearance import UNFOLD  # noqa: F401 - a setting
from gateway.accounts.sign_in.password_rules import PASSWORD_RULES
from gateway.buckets import bucket
from gateway.redis.urls import next_database, verifying
from gateway.schedule import SCHEDULE

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()
_SOME = validate.Range(min=1)


def _origin(text: str) -> str:
    """An origin as a content security policy names it: https://img.example, https://*.cdn.example."""
    if not re.fullmatch(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]+)?", text):
        raise ValidationError(f"no origin, such as https://img.example: {text}")
    return text


def _is_folder(address: str) -> None:
    if not re.fullmatch(r"(https?:/)?/\S+/", address):
        raise ValidationError(f"neither /path/ nor https://host/path/, with a slash at its end: {address}")


def _is_site(address: str) -> None:
    if address and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*[^\s/?#])?", address):
        raise ValidationError(f"no https://shop.example, without a slash at its end: {address}")


def _is_page(address: str) -> None:
    if address and not re.fullmatch(r"(https?:/)?/[^\s?#]+", address):
        raise ValidationError(f"neither /path nor https://host/path, without a question mark: {address}")


def _is_time_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(f"no time zone of the tz database: {name}")


ENVIRONMENT = env.str("GATEWAY_ENV", "development", validate=validate.OneOf(["development", "production"]))
PRODUCTION = ENVIRONMENT == "production"

if not PRODUCTION:
    # So that `manage.py shell` beside `make run` finds the servers that run; real variables win.
    env.read_env(str(BASE_DIR / ".local" / "run" / "stack.env"), recurse=False, override=False)

# ---------------------------------------------------------------- Django

DEVELOPMENT_SECRET_KEY = "development-only-" + "x" * 50
SECRET_KEY = env.str("SECRET_KEY", DEVELOPMENT_SECRET_KEY)
# Earlier keys, whose sessions are still believed and signed anew when they are used.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
DEBUG = env.bool("DEBUG", not PRODUCTION)
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", [] if PRODUCTION else ["*"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "gateway",
    "gateway.accounts",
    "gateway.audit",
    "gateway.idempotency",
    "gateway.staff",
    "catalog",
    "cart",
    "ordering",
    "admin_ext",
    "admin_ext.jobs",
    "admin_ext.sheets",
    # The look of the admin; its site is ours, below. Before the contrib apps, whose templates it replaces.
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    # The contrib apps under configurations that give their models ObjectId keys.
    "gateway.contrib.AdminConfig",
    "gateway.contrib.AuthConfig",
    "gateway.contrib.ContentTypesConfig",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "strawberry_django",
]

# The headers, hosts and HTTPS of Django's own security middleware are in gateway/web/transport.py, for GraphQL too.
MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "admin_ext.language.ChosenLanguage",
    "gateway.staff.time_limit.TimeLimitMiddleware",
    "gateway.accounts.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "gateway.accounts.sessions.middleware.AuthenticationMiddleware",
    "gateway.staff.recent_changes.RecentChangesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "gateway.urls"
CSRF_FAILURE_VIEW = "gateway.web.error_pages.show_form_not_trusted"
ASGI_APPLICATION = "gateway.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Staff see Russian unless they choose English, whatever their browser prefers. GraphQL follows its caller.
LANGUAGE_CODE = "ru"
LANGUAGES = [("ru", "Русский"), ("en", "English")]
FORMAT_MODULE_PATH = ["admin_ext.formats"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = PRODUCTION
# The zone in which staff read and write times. What is stored, counted by days, logged or scheduled is in UTC.
TIME_ZONE = env.str("TIME_ZONE", "Europe/Moscow", validate=_is_time_zone)
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
# Development serves straight from the packages; production from `collectstatic`, hashed and compressed.
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = not PRODUCTION
# ---------------------------------------------------------------- pictures of products

# Where uploaded pictures are kept, unless in a bucket. Every process of the gateway, web and worker, must see the same.
MEDIA_ROOT = BASE_DIR / env.str("MEDIA_ROOT", ".local/media")
# Under which address buyers get them: the gateway's own, which always works, or that of a CDN or a public bucket.
MEDIA_URL = env.str("MEDIA_URL", "/media/", validate=_is_folder)
# Stands before addresses of this site in answers, which frontends show: https://api.example. Empty: they stay relative.
PUBLIC_URL = env.str("PUBLIC_URL", "" if PRODUCTION else "http://localhost:8000", validate=_is_site)
# A bucket of anything that speaks S3; empty: files under MEDIA_ROOT.
MEDIA_S3_BUCKET = env.str("MEDIA_S3_BUCKET", "")
# Empty: Amazon's.
MEDIA_S3_ENDPOINT = env.str("MEDIA_S3_ENDPOINT", "")
MEDIA_S3_REGION = env.str("MEDIA_S3_REGION", "us-east-1")
# Empty: whatever the machine's role or its own variables give.
MEDIA_S3_ACCESS_KEY = env.str("MEDIA_S3_ACCESS_KEY", "")
MEDIA_S3_SECRET_KEY = env.str("MEDIA_S3_SECRET_KEY", "")
# Of one uploaded file: more than any camera's JPEG of the pixels below.
PICTURE_MAX_BYTES = env.int("PICTURE_MAX_BYTES", 15_000_000, validate=_SOME)
# Width times height, known before anything is decoded. Each takes up to four bytes while it is: a hundred megabytes.
PICTURE_MAX_PIXELS = env.int("PICTURE_MAX_PIXELS", 25_000_000, validate=_SOME)
# How long an upload that no product uses is kept: somebody may be still at the form.
PICTURE_ORPHAN_HOURS = env.int("PICTURE_ORPHAN_HOURS", 24, validate=_SOME)
# Other hosts whose pictures the admin may show: https://img.example, https://*.cdn.example.
ADMIN_IMAGE_HOSTS: list[str] = env.list("ADMIN_IMAGE_HOSTS", [], subcast=_origin)

STORAGES = {
    "default": bucket(
        MEDIA_S3_BUCKET,
        endpoint=MEDIA_S3_ENDPOINT,
        region=MEDIA_S3_REGION,
        access_key=MEDIA_S3_ACCESS_KEY,
        secret_key=MEDIA_S3_SECRET_KEY,
    )
    if MEDIA_S3_BUCKET
    else {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"allow_overwrite": True}},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# How long MongoDB may work for one page of the admin; for a change, for each of its reads. Longer means a page that
# reads more than it shows, for a person who has gone.
ADMIN_MAX_SECONDS = env.float("ADMIN_MAX_SECONDS", 10.0)

# ---------------------------------------------------------------- who signs in

AUTH_USER_MODEL = "accounts.User"
# Of the admin: whoever comes to its page for signing in without having asked for another.
LOGIN_REDIRECT_URL = "admin:index"
AUTH_PASSWORD_VALIDATORS = PASSWORD_RULES
PASSWORD_HASHERS = [
    "gateway.accounts.sign_in.hashing.ServerArgon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
# Passwords that one process hashes at once: 19 MiB and a core each.
PASSWORD_THREADS = env.int("PASSWORD_THREADS", 2)
# How many more may wait for their turn, about a second's worth; the next is asked to come again.
PASSWORD_QUEUE = env.int("PASSWORD_QUEUE", 32)

SESSION_ENGINE = "gateway.accounts.sessions.engine"
# A session that nobody uses for this long is over.
SESSION_COOKIE_AGE = env.int("SESSION_DAYS", 30) * 24 * 3600
# For how long a session that Redis has cached is believed without asking Cassandra.
SESSION_CACHE_SECONDS = env.int("SESSION_CACHE_SECONDS", 60)
# For how long a process goes by the viewer that it looked up, in queries. Changes look up each time.
SESSION_REMEMBERED_SECONDS = env.float("SESSION_REMEMBERED_SECONDS", 1.0)
# Sessions that one network may begin in an hour. Generous: a mobile carrier has thousands of people behind one address,
# but few of them put something into a cart or sign in within the hour.
SESSIONS_PER_CLIENT_HOUR = env.int("SESSIONS_PER_CLIENT_HOUR", 1_000 if PRODUCTION else 100_000, validate=_SOME)
# Guests' sessions that Redis caches, 1 kB each, 2 at most: the day's guests of a large shop. Beyond it those used
# least recently are left to Cassandra alone.
SESSION_GUEST_COPIES = env.int("SESSION_GUEST_COPIES", 100_000, validate=_SOME)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = env.bool("SESSION_COOKIE_SECURE", PRODUCTION)
CSRF_COOKIE_SECURE = env.bool("CSRF_COOKIE_SECURE", PRODUCTION)
# Failed attempts to sign in to one account from one network or one known device, after which each next waits longer.
SIGN_IN_FAILURES_PER_ACCOUNT = env.int("SIGN_IN_FAILURES_PER_ACCOUNT", 10, validate=_SOME)
# The same from all networks that the account has not signed in from lately, together; the waits stay below a minute.
SIGN_IN_FAILURES_OF_STRANGERS = env.int("SIGN_IN_FAILURES_OF_STRANGERS", 20, validate=_SOME)
# Failures from one network, at whatever accounts, after which it waits for the rest of the window.
SIGN_IN_FAILURES_PER_ADDRESS = env.int("SIGN_IN_FAILURES_PER_ADDRESS", 100, validate=_SOME)
SIGN_IN_WINDOW_SECONDS = env.int("SIGN_IN_WINDOW_SECONDS", 15 * 60)
# Accounts made from one network: a whole office or a mobile network may be one.
REGISTRATIONS_PER_ADDRESS = env.int("REGISTRATIONS_PER_ADDRESS", 50, validate=_SOME)
REGISTRATION_WINDOW_SECONDS = env.int("REGISTRATION_WINDOW_SECONDS", 3600)
# Letters about accounts within an hour, to one address and caused from one network: anybody may ask for them.
ACCOUNT_LETTERS_PER_ADDRESS = env.int("ACCOUNT_LETTERS_PER_ADDRESS", 5, validate=_SOME)
ACCOUNT_LETTERS_PER_CLIENT = env.int("ACCOUNT_LETTERS_PER_CLIENT", 30, validate=_SOME)
# Codes of a telephone after the password of staff. `optional`: of those who have enrolled one; `required`: nobody has
# any right of staff, in the admin or over the API, before enrolling.
STAFF_SECOND_FACTOR = env.str(
    "STAFF_SECOND_FACTOR", "optional", validate=validate.OneOf(["off", "optional", "required"])
)

SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", PRODUCTION)
# Addresses or networks of the proxies in front. What they say of the client's address and scheme is believed, by
# limits, sessions, logs and Django alike; what anybody else says is not.
TRUSTED_PROXIES: list[IPv4Network | IPv6Network] = env.list("TRUSTED_PROXIES", [], subcast=ip_network)
# One of them terminates TLS and says so in X-Forwarded-Proto, in place of whatever clients send under that name.
BEHIND_TLS_PROXY = env.bool("BEHIND_TLS_PROXY", PRODUCTION)
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", 31_536_000 if PRODUCTION else 0)

# Whoever reaches MongoDB, Cassandra and Redis may be trusted without a password: production otherwise refuses that.
TRUSTED_NETWORK = env.bool("TRUSTED_NETWORK", False)

# ---------------------------------------------------------------- MongoDB

MONGODB_URI = env.str("MONGODB_URI", "mongodb://127.0.0.1:27017/")
MONGODB_DATABASE = env.str("MONGODB_DATABASE", "mobile_world")
# A commit in flight on a mongos that dies fails only after this time: long enough for a failover, short for a buyer.
MONGODB_SERVER_SELECTION_MS = env.int("MONGODB_SERVER_SELECTION_MS", 5_000)
# For how long a read that Cassandra could serve too waits for MongoDB.
MONGODB_PATIENCE_SECONDS = env.float("MONGODB_PATIENCE_SECONDS", 2.0)
# After an outage is noticed, how long the API fails at once or serves from Cassandra before a request tries again.
MONGODB_CIRCUIT_SECONDS = env.float("MONGODB_CIRCUIT_SECONDS", 3.0)
# With an allowance this generous an unknown lag is no reason to load the primaries: a healthy cluster has far less.
MONGODB_UNKNOWN_LAG_SECONDS = env.float("MONGODB_UNKNOWN_LAG_SECONDS", 30.0)
# Finds of the API by mongojet where it is installed, for three quarters of the CPU; off: by PyMongo alone.
MONGODB_FAST_READS = env.bool("MONGODB_FAST_READS", True)
# Fail as soon as code that promised to read secondaries reaches a primary. Tests switch it on.
MONGODB_GUARD_READS = env.bool("MONGODB_GUARD_READS", False)

DATABASES = {
    "default": {
        "ENGINE": "gateway.mongo.backend",
        "HOST": MONGODB_URI,
        "NAME": MONGODB_DATABASE,
        "OPTIONS": {
            "appname": "mobile-world-gateway",
            "serverSelectionTimeoutMS": MONGODB_SERVER_SELECTION_MS,
            "connectTimeoutMS": 2_000,
            "tz_aware": False,  # the ORM backend expects naive UTC
        },
    }
}
DATABASE_ROUTERS = ["django_mongodb_backend.routers.MongoRouter"]
DEFAULT_AUTO_FIELD = "django_mongodb_backend.fields.ObjectIdAutoField"
MIGRATION_MODULES = {
    "admin": "gateway.contrib.migrations.admin",
    "auth": "gateway.contrib.migrations.auth",
    "contenttypes": "gateway.contrib.migrations.contenttypes",
}

# ---------------------------------------------------------------- Cassandra

# Empty: not configured; the shop works from MongoDB alone.
CASSANDRA_CONTACT_POINTS: list[str] = env.list("CASSANDRA_CONTACT_POINTS", [])
CASSANDRA_LOCAL_DC = env.str("CASSANDRA_LOCAL_DC", "dc1")
CASSANDRA_USERNAME = env.str("CASSANDRA_USERNAME", "")
CASSANDRA_PASSWORD = env.str("CASSANDRA_PASSWORD", "")
CASSANDRA_TLS = env.bool("CASSANDRA_TLS", False)
# PEM files. Who signs the nodes' certificates, empty: whom the system trusts; ours with its key, where nodes want it.
CASSANDRA_TLS_CA = env.str("CASSANDRA_TLS_CA", "")
CASSANDRA_TLS_CERTIFICATE = env.str("CASSANDRA_TLS_CERTIFICATE", "")
# Nodes are found by address: off where their certificates name hosts only. Who signed them is checked even so.
CASSANDRA_TLS_CHECK_HOSTNAME = env.bool("CASSANDRA_TLS_CHECK_HOSTNAME", True)
# Keyspaces are <prefix>_orders, <prefix>_carts, <prefix>_catalog, <prefix>_history.
CASSANDRA_KEYSPACE_PREFIX = env.str("CASSANDRA_KEYSPACE_PREFIX", "mobile_world")
# Replicas per data centre for each kind of data, as in `dc1=3,dc2=3`; capped outside production by the nodes there are.
CASSANDRA_REPLICATION: dict[str, dict[str, int]] = {
    "orders": env.dict("CASSANDRA_REPLICATION_ORDERS", {"dc1": 3, "dc2": 3}, subcast_values=int),
    "carts": env.dict("CASSANDRA_REPLICATION_CARTS", {"dc1": 2}, subcast_values=int),
    "catalog": env.dict("CASSANDRA_REPLICATION_CATALOG", {"dc1": 2, "dc2": 2}, subcast_values=int),
    "history": env.dict("CASSANDRA_REPLICATION_HISTORY", {"dc1": 3}, subcast_values=int),
}
CASSANDRA_CAP_REPLICATION = env.bool("CASSANDRA_CAP_REPLICATION", not PRODUCTION)
# Rows in one partition of a bucketed table, beyond which the next rows are spread over more buckets.
CASSANDRA_PARTITION_ROWS = env.int("CASSANDRA_PARTITION_ROWS", 50_000)
# How many worker processes copy a backlog to Cassandra at once; the others are left to the tasks that buyers wait for.
SYNC_HANDS = env.int("SYNC_HANDS", 2, validate=_SOME)
CASSANDRA_CONNECT_TIMEOUT = env.float("CASSANDRA_CONNECT_TIMEOUT", 2.0)
CASSANDRA_REQUEST_TIMEOUT = env.float("CASSANDRA_REQUEST_TIMEOUT", 2.0)
# After an outage is noticed, how long calls fail at once before one of them tries again.
CASSANDRA_CIRCUIT_SECONDS = env.float("CASSANDRA_CIRCUIT_SECONDS", 5.0)
# The command line that runs nodetool, options and all; empty: the one on PATH. Without any there are no repairs.
CASSANDRA_NODETOOL = env.str("CASSANDRA_NODETOOL", "")
# Where the JMX of each node listens, as host:port; empty: port 7199 of the nodes that the driver knows.
CASSANDRA_JMX: list[str] = env.list("CASSANDRA_JMX", [])

# ---------------------------------------------------------------- Redis and Celery

REDIS_URL = env.str("REDIS_URL", "redis://127.0.0.1:6379/0")
# What strangers may write: persisted queries, points of the throttle, attempts to sign in, caches. Apart from the
# broker and the outbox, so that nobody fills the store of what must not be lost; best a server of its own that evicts.
REDIS_CACHE_URL = env.str("REDIS_CACHE_URL", next_database(REDIS_URL))
# A Redis that hangs must cost a request no more than this.
REDIS_TIMEOUT = env.float("REDIS_TIMEOUT", 0.5)

CELERY_BROKER_URL = verifying(env.str("CELERY_BROKER_URL", REDIS_URL))
# Sending a task happens inside a buyer's request: one quick try, where Celery would go on for six seconds. Workers and
# beat connect by rules of their own and wait for the broker.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **dict.fromkeys(("max_retries", "interval_start", "interval_step", "interval_max"), 0),
    "socket_connect_timeout": REDIS_TIMEOUT,
    # A worker's wait for its next task blocks for up to a second and must not count as a broker that hangs.
    "socket_timeout": REDIS_TIMEOUT + 2,
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True  # a task of a killed worker is delivered again: tasks are idempotent
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_TIMEZONE = "UTC"  # of the schedule, whatever TIME_ZONE is

# ---------------------------------------------------------------- carts, orders and payments

# How long after its last change a cart counts as abandoned.
CART_EMPTY_HOURS = env.int("CART_EMPTY_HOURS", 6)
CART_GUEST_DAYS = env.int("CART_GUEST_DAYS", 30)
CART_CUSTOMER_DAYS = env.int("CART_CUSTOMER_DAYS", 90)
# How long an ordered or abandoned cart is kept.
CART_KEPT_DAYS = env.int("CART_KEPT_DAYS", 180)

# How long an order stays in MongoDB after it was made; then its history is in Cassandra alone.
ORDER_KEPT_DAYS = env.int("ORDER_KEPT_DAYS", 365)
# How long unpaid stock is held.
ORDER_RESERVATION_MINUTES = env.int("ORDER_RESERVATION_MINUTES", 30)
# What one buyer, and what one network, may hold unpaid at once: orders, and pieces of one product. Far more than a
# household orders, and for a network more than an office or a mobile operator's gateway does in half an hour.
ORDER_UNPAID_PER_BUYER = env.int("ORDER_UNPAID_PER_BUYER", 20, validate=_SOME)
ORDER_UNPAID_PER_ADDRESS = env.int("ORDER_UNPAID_PER_ADDRESS", 200, validate=_SOME)
ORDER_UNPAID_PIECES_PER_BUYER = env.int("ORDER_UNPAID_PIECES_PER_BUYER", 100, validate=_SOME)
ORDER_UNPAID_PIECES_PER_ADDRESS = env.int("ORDER_UNPAID_PIECES_PER_ADDRESS", 500, validate=_SOME)

# Rubles that a member of staff may refund of one order without the right to more.
REFUND_LIMIT = env.int("REFUND_LIMIT", 30_000, validate=_SOME)

DEVELOPMENT_PAYMENT_SECRET = "development-only-payment-secret-0000"  # noqa: S105 - public, for `make run` only
# What signs the payment system's calls. Several while one is being replaced: any of them is accepted.
PAYMENT_WEBHOOK_SECRETS: list[str] = env.list(
    "PAYMENT_WEBHOOK_SECRETS", [] if PRODUCTION else [DEVELOPMENT_PAYMENT_SECRET]
)
# How far the time of a call may be from ours: what is caught on its way is of no use afterwards.
PAYMENT_WEBHOOK_SECONDS = env.int("PAYMENT_WEBHOOK_SECONDS", 300)
# A page of the gateway itself that pays with nothing; there is none in production.
DEVELOPMENT_PAYMENT_PAGE = "/payments/page"
# Where buyers pay; a path is one of the gateway's own. Empty: they are sent nowhere.
PAYMENT_PAGE_URL = env.str("PAYMENT_PAGE_URL", "" if PRODUCTION else DEVELOPMENT_PAYMENT_PAGE, validate=_is_page)

# ---------------------------------------------------------------- e-mail

# The frontend that letters lead to. Empty: letters without links. The other default is where Vite serves.
STOREFRONT_URL = env.str("STOREFRONT_URL", "" if PRODUCTION else "http://localhost:5173", validate=_is_site)

# Empty: letters are printed by whoever sends them, the worker.
EMAIL_HOST = env.str("EMAIL_HOST", "")
EMAIL_PORT = env.int("EMAIL_PORT", 25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
# STARTTLS on an ordinary connection; EMAIL_USE_SSL: TLS from the first byte. Not both.
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", False)
# Well under the minute after which another worker may take the letter over.
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", 10.0)
# Letters to one address within an hour, beyond which those wait that anybody can cause by ordering in its name.
MAIL_PER_ADDRESS_PER_HOUR = env.int("MAIL_PER_ADDRESS_PER_HOUR", 20, validate=_SOME)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Мобильный мир <shop@mobile-world.example>")

# ---------------------------------------------------------------- GraphQL

# How many writes of the API run at once in one process; each waits for MongoDB, so more than there are cores.
GRAPHQL_WRITE_THREADS = env.int("GRAPHQL_WRITE_THREADS", 16)
GRAPHQL_INTROSPECTION = env.bool("GRAPHQL_INTROSPECTION", not PRODUCTION)
GRAPHQL_SUGGESTIONS = env.bool("GRAPHQL_SUGGESTIONS", not PRODUCTION)
GRAPHIQL = env.bool("GRAPHIQL", not PRODUCTION)
# Where `make run` puts the page's scripts; they come from npm once and are served by the gateway, never by a CDN.
GRAPHIQL_ASSETS = BASE_DIR / env.str("GRAPHIQL_ASSETS", ".local/graphiql")
STATICFILES_DIRS = [("graphiql", GRAPHIQL_ASSETS)] if GRAPHIQL and GRAPHIQL_ASSETS.is_dir() else []

# What one process does at once; a request beyond it waits for its turn, and one beyond the queue is told to come back.
# A query takes a few milliseconds of CPU: the queue is worked off within a second, and nobody waits for those who left.
GRAPHQL_MAX_RUNNING = env.int("GRAPHQL_MAX_RUNNING", 64)
GRAPHQL_MAX_WAITING = env.int("GRAPHQL_MAX_WAITING", 64)
# Of one client at once: more would not be served sooner, since they share a core, but keep everybody else waiting.
GRAPHQL_MAX_RUNNING_PER_CLIENT = env.int("GRAPHQL_MAX_RUNNING_PER_CLIENT", 4)
# Well under GRAPHQL_MAX_SECONDS: a request that gets its turn has time for what it is about.
GRAPHQL_MAX_WAIT_SECONDS = env.float("GRAPHQL_MAX_WAIT_SECONDS", 3.0)
# Requests whose bodies are still coming. They hold no turn; the oldest makes room for the next.
GRAPHQL_MAX_READING = env.int("GRAPHQL_MAX_READING", 256)
# Bytes of all the bodies that a process holds, as far as they are larger than an ordinary one.
GRAPHQL_MAX_BODIES_BYTES = env.int("GRAPHQL_MAX_BODIES_BYTES", 32_000_000)

# Limits of one request, checked before anything is executed, and on the document before it is validated.
GRAPHQL_MAX_BODY_BYTES = env.int("GRAPHQL_MAX_BODY_BYTES", 1_000_000)
# A document as large as may be, every byte of it percent-encoded, and a quarter for the variables.
GRAPHQL_MAX_URL_BYTES = env.int("GRAPHQL_MAX_URL_BYTES", 60_000)
# A value of JSON takes a hundred bytes of memory or more, and can be written with two.
GRAPHQL_MAX_VALUES = env.int("GRAPHQL_MAX_VALUES", 10_000)
GRAPHQL_MAX_DOCUMENT_BYTES = env.int("GRAPHQL_MAX_DOCUMENT_BYTES", 15_000)
GRAPHQL_MAX_TOKENS = env.int("GRAPHQL_MAX_TOKENS", 2_000)
# Longer than code generators make them; a name is repeated in every error about it and in every object of an answer.
GRAPHQL_MAX_NAME = env.int("GRAPHQL_MAX_NAME", 128)
GRAPHQL_MAX_DEPTH = env.int("GRAPHQL_MAX_DEPTH", 12)
# GraphiQL and the code generators ask for a type of a type of a type: deeper than any page of the shop.
GRAPHQL_MAX_INTROSPECTION_DEPTH = env.int("GRAPHQL_MAX_INTROSPECTION_DEPTH", 20)
GRAPHQL_MAX_ALIASES = env.int("GRAPHQL_MAX_ALIASES", 15)
GRAPHQL_MAX_DIRECTIVES = env.int("GRAPHQL_MAX_DIRECTIVES", 50)
GRAPHQL_MAX_ROOT_FIELDS = env.int("GRAPHQL_MAX_ROOT_FIELDS", 20)
# Validation compares every two fields of one name: with 2 000 tokens of them it would take seconds.
GRAPHQL_MAX_REPEATS = env.int("GRAPHQL_MAX_REPEATS", 50)
GRAPHQL_MAX_FRAGMENTS = env.int("GRAPHQL_MAX_FRAGMENTS", 100)
# In graphql-core's units, a thousand of which take a millisecond. Twenty-five fragments side by side, each with five
# fields that the others have too, need 4 000.
GRAPHQL_MAX_COMPARISONS = env.int("GRAPHQL_MAX_COMPARISONS", 10_000)
GRAPHQL_MAX_PAGE = env.int("GRAPHQL_MAX_PAGE", 100)
GRAPHQL_MAX_LIST = env.int("GRAPHQL_MAX_LIST", 100)
GRAPHQL_MAX_COST = env.int("GRAPHQL_MAX_COST", 1_000)
GRAPHQL_MAX_SECONDS = env.float("GRAPHQL_MAX_SECONDS", 10.0)
# What one process spends on the documents that it remembers parsed and validated, or refused: a page's takes 10 kB.
GRAPHQL_REMEMBERED_BYTES = env.int("GRAPHQL_REMEMBERED_BYTES", 32_000_000)
# What they are compiled to, with the documents' nodes once more.
GRAPHQL_COMPILED_BYTES = env.int("GRAPHQL_COMPILED_BYTES", 32_000_000)
# What one process spends on answers of catalog reads that it keeps for others who ask the same, as long as their read
# policies allow: a page of 24 products takes 20 kB. 0: none are kept.
GRAPHQL_ANSWERS_BYTES = env.int("GRAPHQL_ANSWERS_BYTES", 32_000_000, validate=validate.Range(min=0))
# Documents that wait to be parsed and validated beside the event loop; the largest takes a tenth of a second.
GRAPHQL_MAX_PREPARING = env.int("GRAPHQL_MAX_PREPARING", 16)

# Each client has a bucket of cost points, which refills at this many points a second.
GRAPHQL_BUCKET_POINTS = env.int("GRAPHQL_BUCKET_POINTS", 10_000 if PRODUCTION else 1_000_000)
GRAPHQL_BUCKET_RESTORE = env.int("GRAPHQL_BUCKET_RESTORE", 500 if PRODUCTION else 100_000)
# What a client pays for the CPU that its request takes before it is executed: a client that sends nothing but new
# documents gets a twentieth of a core (500 points a second are 50 ms).
GRAPHQL_POINTS_PER_MS = env.int("GRAPHQL_POINTS_PER_MS", 10)
# Whoever holds one of these may name the buyer whom it asks for, and is throttled as that buyer.
GRAPHQL_SERVER_TOKENS: list[str] = env.list("GRAPHQL_SERVER_TOKENS", [])

# How long Redis keeps the text of an automatically persisted query that nobody asks for.
GRAPHQL_PERSISTED_SECONDS = env.int("GRAPHQL_PERSISTED_SECONDS", 30 * 24 * 3600)
# Bytes of UTF-8 of one such text without comments and white space: as many as a document may have characters.
GRAPHQL_PERSISTED_MAX_BYTES = env.int("GRAPHQL_PERSISTED_MAX_BYTES", 15_000)
# Bytes of what one client has stored. A storefront has a few hundred operations of 2 kB, and whoever shares its address
# sends the same ones.
GRAPHQL_PERSISTED_CLIENT_BYTES = env.int("GRAPHQL_PERSISTED_CLIENT_BYTES", 1_000_000)
# Of what all have stored: half of the smallest cache that we start, so that counters need not give way to texts.
GRAPHQL_PERSISTED_TOTAL_BYTES = env.int("GRAPHQL_PERSISTED_TOTAL_BYTES", 32_000_000)
GRAPHQL_OPERATIONS = env.str("GRAPHQL_OPERATIONS", "off", validate=validate.OneOf(["off", "log", "enforce"]))

# Origins whose pages may call the API from a browser; `*`: any, without cookies.
GRAPHQL_CORS_ORIGINS: list[str] = env.list(
    "GRAPHQL_CORS_ORIGINS", [] if PRODUCTION else ["http://localhost:3000", "http://localhost:5173"]
)
GRAPHQL_CORS_CREDENTIALS = env.bool("GRAPHQL_CORS_CREDENTIALS", True)
GRAPHQL_CORS_MAX_AGE = env.int("GRAPHQL_CORS_MAX_AGE", 7_200)

# ---------------------------------------------------------------- the admin and the webhook

# The same for Django's half. Each of its requests has a thread while it runs.
DJANGO_MAX_RUNNING = env.int("DJANGO_MAX_RUNNING", 16)
# A page of the admin asks for thirty files at once.
DJANGO_MAX_WAITING = env.int("DJANGO_MAX_WAITING", 64)
DJANGO_MAX_READING = env.int("DJANGO_MAX_READING", 64)
# Django writes a body to the disk before it asks who sent it. Larger than any file of the import.
DJANGO_MAX_BODY_BYTES = env.int("DJANGO_MAX_BODY_BYTES", 50_000_000)
# Fifty megabytes from an office's line.
DJANGO_MAX_BODY_SECONDS = env.float("DJANGO_MAX_BODY_SECONDS", 60.0)
# How long a request waits for its turn.
DJANGO_MAX_WAIT_SECONDS = env.float("DJANGO_MAX_WAIT_SECONDS", 10.0)

# A file of products to be loaded; below DJANGO_MAX_BODY_BYTES.
SHEET_MAX_BYTES = env.int("SHEET_MAX_BYTES", 45_000_000, validate=_SOME)
# Rows of such a file: each is planned against its product, a thousand or two in a second.
SHEET_MAX_ROWS = env.int("SHEET_MAX_ROWS", 500_000, validate=_SOME)
# How long files that were loaded or made stay; then they delete themselves.
SHEET_KEPT_DAYS = env.int("SHEET_KEPT_DAYS", 7, validate=_SOME)

# ---------------------------------------------------------------- logs

LOGGING_CONFIG = "gateway.logs.configuration.configure"
LOGGING = {
    "format": env.str("LOG_FORMAT", "json", validate=validate.OneOf(["json", "console"])),
    "level": env.str("LOG_LEVEL", "INFO"),
    # What errors say may quote a password or a buyer's address; their types, codes and places never do.
    "error_texts": env.bool("LOG_ERROR_TEXTS", False),
}
