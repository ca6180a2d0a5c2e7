"""Discounts that begin and end by themselves."""
