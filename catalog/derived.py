"""The derived fields of a product document: effective price, availability, facets, search terms.

Every write of a product goes through one of these, so that a read never computes and never misses.
"""
