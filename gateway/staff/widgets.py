"""The look of form fields that are written by hand; Unfold gives it only to those that Django makes of a model."""

from collections.abc import Iterable

from django import forms
from unfold import widgets

LOOKS: dict[type[forms.Widget], type[forms.Widget]] = {
    forms.TextInput: widgets.UnfoldAdminTextInputWidget,
    forms.Textarea: widgets.UnfoldAdminTextareaWidget,
    forms.NumberInput: widgets.UnfoldAdminIntegerFieldWidget,
    forms.EmailInput: widgets.UnfoldAdminEmailInputWidget,
    forms.URLInput: widgets.UnfoldAdminURLInputWidget,
    forms.PasswordInput: widgets.UnfoldAdminPasswordWidget,
    forms.Select: widgets.UnfoldAdminSelectWidget,
    forms.SelectMultiple: widgets.UnfoldAdminSelectMultipleWidget,
    forms.RadioSelect: widgets.UnfoldAdminRadioSelectWidget,
    forms.CheckboxInput: widgets.UnfoldBooleanSwitchWidget,
    forms.CheckboxSelectMultiple: widgets.UnfoldAdminCheckboxSelectMultipleWidget,
    forms.DateInput: widgets.UnfoldAdminSingleDateWidget,
}


def dress(fields: Iterable[forms.Field]) -> None:
    """Give each field of Django's own look that of the admin; a look chosen by the form stays."""
    for field in fields:
        plain = field.widget
        if look := LOOKS.get(type(plain)):
            field.widget = look(attrs=plain.attrs)
            field.widget.is_required = plain.is_required
            if isinstance(plain, forms.widgets.ChoiceWidget):
                field.widget.choices = plain.choices
