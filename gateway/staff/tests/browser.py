"""A browser in which one of the demo accounts is signed in to the admin."""

from django.test import Client

from gateway.accounts.demo import PASSWORD


def signed_in(login: str) -> Client:
    client = Client()
    form = {"username": f"{login}@mobile-world.example", "password": PASSWORD}
    client.post("/admin/login/?next=/admin/", form)
    return client
