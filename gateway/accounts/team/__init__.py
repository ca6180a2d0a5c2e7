"""The accounts of staff: invited by letter, changed by administrators, never deleted."""
