"""Whoever asks: the account, its sessions, and what of the domains is theirs. Assembled here, above the domains."""
