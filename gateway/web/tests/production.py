"""What production must be told, for servers of the tests."""

PRODUCTION = {
    "GATEWAY_ENV": "production",
    "SECRET_KEY": "k" * 50,
    "PAYMENT_WEBHOOK_SECRETS": "p" * 32,
    "ALLOWED_HOSTS": "shop.example,.shops.example",
    "CASSANDRA_CAP_REPLICATION": "false",
    "BEHIND_TLS_PROXY": "false",
    # The servers of the tests know no passwords.
    "TRUSTED_NETWORK": "true",
}
