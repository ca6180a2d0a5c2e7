"""Sessions: kept in Cassandra and cached in Redis, for Django's pages and GraphQL alike.

`engine` is what Django knows; `store` decides who is asked; `rows` is Cassandra, `cache` is Redis.
"""
