"""The viewer, whoever asks: the account, its sessions, its cart and orders. Assembled here, above the domains."""
