"""The second factor of staff: one-time codes of a telephone (TOTP) after the password.

`settings.STAFF_SECOND_FACTOR`: off, optional, required. Rights of staff, in the admin and over the API alike, need a
session that has passed it: a password alone signs in as a customer does.
"""
