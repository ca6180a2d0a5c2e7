"""Uploaded pictures of products: checked, re-encoded, kept in Django's storage, with thumbnails."""
