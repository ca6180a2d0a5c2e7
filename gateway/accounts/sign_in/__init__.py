"""Who may sign in: passwords, attempts and their limits, known devices, and the form for staff."""
