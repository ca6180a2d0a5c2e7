"""Asked twice, done once: keys that clients make, and receipts of what was done under them."""
