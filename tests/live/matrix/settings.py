"""Django as far as signals and transactions need it."""

DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS: list[str] = []
SECRET_KEY = "not a secret"
USE_TZ = True
