"""Uploaded files in a bucket that speaks S3, as Django's storage."""

from typing import Any

# A request to a bucket that does not answer must not hold a person, or a worker, for botocore's minute.
CONNECT_SECONDS = 3
READ_SECONDS = 15
ATTEMPTS = 2
# Names never come again with other content.
FOR_EVER = "public, max-age=31536000, immutable"


def bucket(name: str, *, endpoint: str, region: str, access_key: str, secret_key: str) -> dict[str, Any]:
    """The entry of the setting STORAGES; empty credentials: those that boto3 finds for itself."""
    # Loaded by those who have a bucket only: it takes a quarter of a second and 20 MB.
    from botocore.config import Config  # type: ignore[import-untyped]  # noqa: PLC0415

    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": name,
            "endpoint_url": endpoint or None,
            "region_name": region,
            "access_key": access_key or None,
            "secret_key": secret_key or None,
            "querystring_auth": False,
            "file_overwrite": True,
            "object_parameters": {"CacheControl": FOR_EVER},
            "client_config": Config(
                s3={"addressing_style": "path" if endpoint else "auto"},
                signature_version="s3v4",
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"total_max_attempts": ATTEMPTS},
            ),
        },
    }
