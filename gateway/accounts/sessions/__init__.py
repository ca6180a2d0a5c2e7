"""Sessions: kept in Cassandra with a short-lived copy in Redis, for Django's pages and GraphQL alike.

`engine` is what Django knows; `store` decides who is asked; `rows` is Cassandra, `copies` is Redis.
"""
