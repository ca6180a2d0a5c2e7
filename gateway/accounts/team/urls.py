"""Addresses of the pages by which staff come in; under /admin/."""

from django.urls import path

from gateway.accounts.team.views import (
    ForgottenPassword,
    Invitation,
    NewPassword,
    SecondFactorCode,
    SecondFactorSetUp,
)

urlpatterns = [
    # The name by which Unfold's page of signing in finds it.
    path("password/", ForgottenPassword.as_view(), name="admin_password_reset"),
    path("password/<str:token>/", NewPassword.as_view(), name="staff_password"),
    path("invitation/<str:token>/", Invitation.as_view(), name="staff_invitation"),
    path("second-factor/", SecondFactorCode.as_view(), name="staff_second_factor"),
    path("second-factor/set-up/", SecondFactorSetUp.as_view(), name="staff_second_factor_set_up"),
]
