"""How moments and days are written in the admin: short enough for a column."""
