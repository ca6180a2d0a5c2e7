"""The form of a category or a geozone: its name, and its place among the others."""

from typing import Any

from catalog.errors import StructureChangedMeanwhile
from catalog.structure.edition import Edition
from gateway.staff.merging import MergingForm, Values, seen_text


class StructureForm(MergingForm):
    overtaken_by = (StructureChangedMeanwhile,)

    stored: Edition
    """What is stored now, as it was read last."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["seen"] = seen_text(_values(Edition(self.instance.name, self.instance.position)))

    def add(self) -> None:
        """Add what was typed."""
        raise NotImplementedError

    def edit(self, wanted: Edition) -> None:
        """Write it, if `self.stored` is still there."""
        raise NotImplementedError

    def act(self) -> None:
        if self.instance.pk:
            self.merge_and_write()
        else:
            self.add()

    def stored_values(self) -> Values:
        # Gone meanwhile, it is as it was: the action says that there is no such thing.
        now = type(self.instance).objects.filter(pk=self.instance.pk).first() or self.instance
        self.stored = Edition(now.name, now.position)
        return _values(self.stored)

    def typed_values(self) -> Values:
        return _values(Edition(self.cleaned_data["name"].strip(), self.cleaned_data["position"]))

    def write(self, values: Values) -> None:
        wanted = Edition(values["name"], values["position"])
        self.edit(wanted)
        self.instance.name, self.instance.position = wanted

    def texts_of(self, values: Values) -> dict[str, str]:
        return {name: str(values[name]) for name in ("name", "position")}


def _values(edition: Edition) -> Values:
    return {"name": edition.name, "position": edition.position}
