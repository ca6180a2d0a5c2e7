"""Answers of catalog reads, kept as bytes for as long as their read policies allow."""
