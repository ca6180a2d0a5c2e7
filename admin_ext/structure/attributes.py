"""The dialog with the attributes of a category: its own as rows to edit, those of the categories above to see."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms.boundfield import BoundField

from admin_ext.structure.dialogs import CategoryDialog
from admin_ext.structure.jobs import CHANGE_CATEGORIES
from catalog.products.drafts import MAX_ATTRIBUTE_NAME
from catalog.structure.attributes import (
    MAX_POSITION,
    MAX_UNIT,
    TYPE_NAMES,
    AttributeType,
    CategoryAttribute,
    set_attributes,
)
from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.staff.forms import DialogForm
from gateway.staff.language import said
from gateway.staff.widgets import dress

# Rows that wait to be filled in; whoever needs more saves and comes back, or lets the script add them.
SPARE = 3
# Between neighbours, so that another may come between them.
GAP = 10
# A form has no more rows than this, whatever it says.
MAX_ROWS = 100

COLUMNS = {
    "name": Text("Название", "Name"),
    "type": Text("Тип", "Type"),
    "unit": Text("Единица", "Unit"),
    "options": Text("Варианты, через запятую", "Options, by commas"),
    "position": Text("Порядок", "Position"),
    "filterable": Text("Фильтр", "Filter"),
}
ADD_ROW = Text("Добавить характеристику", "Add an attribute")
INHERITED = Text("От разделов выше", "From the categories above")
FROM = Text("Раздел", "Category")
OVERRULED = Text("заменена своей", "replaced by its own")
YES, NO = Text("да", "yes"), Text("нет", "no")
ABOUT = Text(
    "«{path}»: чем описывают товары этой категории и всех, что ниже. По характеристикам подсказываются значения в "
    "карточке товара; порядок и единицы увидит витрина. Чтобы убрать строку, сотрите название.",
    "“{path}”: by what products of this category and of all below it are described. Product forms suggest values by "
    "them; the shop shows order and units. To remove a row, clear its name.",
)
SAVED = Text("Характеристики сохранены.", "The attributes are saved.")


class Inherited(NamedTuple):
    """An attribute of a category above, for the template."""

    name: str
    type: str
    unit: str
    options: str
    position: int
    filterable: str
    category: str


class AttributesForm(DialogForm):
    """A row of fields for each attribute, named by its number; a row without a name is none."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    """The category's own attributes when the form was opened."""
    rows_sent = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=MAX_ROWS)

    def __init__(
        self, *args: Any, own: Sequence[CategoryAttribute], inherited: Sequence[Inherited], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.inherited = inherited
        self.inherited_title, self.from_title = said(INHERITED), said(FROM)
        self._numbers = range(self._rows_in_data() if self.is_bound else len(own) + SPARE)
        self.columns = [said(text) for text in COLUMNS.values()]
        self.add_row = said(ADD_ROW)
        last = max((each.position for each in own), default=0)
        for number in self._numbers:
            following = CategoryAttribute("", position=last + GAP * (number - len(own) + 1))
            self._add_row(number, own[number] if number < len(own) else following)
        self.fields["rows_sent"].initial = len(self._numbers)
        if not self.is_bound:
            self.fields["seen"].initial = json.dumps([each.to_document() for each in own], ensure_ascii=False)
        dress(self.fields.values())

    @property
    def rows(self) -> list[list[BoundField]]:
        return [[self[f"{column}-{number}"] for column in COLUMNS] for number in self._numbers]

    @property
    def wanted(self) -> list[CategoryAttribute]:
        return [self._attribute(number) for number in self._filled]

    def seen_attributes(self) -> list[CategoryAttribute]:
        """What stood in the form; with nonsense in the hidden field nothing did."""
        try:
            return [CategoryAttribute.from_document(each) for each in json.loads(self.cleaned_data["seen"] or "[]")]
        except (ValueError, TypeError, KeyError):
            return []

    def field_of(self, path: Sequence[str | int]) -> str | None:
        match path:
            case ("attributes", int(index), str(column)):
                return f"{column}-{self._filled[index]}"
        return super().field_of(path)

    @property
    def _filled(self) -> list[int]:
        """The rows that hold an attribute, by number, also when some of their fields were refused."""
        return [number for number in self._numbers if str(self.data.get(f"name-{number}", "")).strip()]

    def _rows_in_data(self) -> int:
        text = str(self.data.get("rows_sent", ""))
        return min(int(text), MAX_ROWS) if text.isascii() and text.isdigit() and len(text) < 4 else 0

    def _add_row(self, number: int, attribute: CategoryAttribute) -> None:
        fields: Mapping[str, forms.Field] = {
            "name": forms.CharField(max_length=MAX_ATTRIBUTE_NAME, required=False, initial=attribute.name),
            "type": forms.ChoiceField(
                choices=[(each.value, said(text)) for each, text in TYPE_NAMES.items()], initial=attribute.type.value
            ),
            "unit": forms.CharField(max_length=MAX_UNIT, required=False, initial=attribute.unit),
            "options": forms.CharField(max_length=4000, required=False, initial=", ".join(attribute.options)),
            "position": forms.IntegerField(min_value=0, max_value=MAX_POSITION, initial=attribute.position),
            "filterable": forms.BooleanField(required=False, initial=attribute.filterable),
        }
        for column, field in fields.items():
            field.label = said(COLUMNS[column])
            self.fields[f"{column}-{number}"] = field

    def _attribute(self, number: int) -> CategoryAttribute:
        given = {column: self.cleaned_data[f"{column}-{number}"] for column in COLUMNS}
        kind = AttributeType(given["type"])
        return CategoryAttribute(
            given["name"],
            kind,
            given["unit"],
            given["position"],
            given["filterable"],
            tuple(each.strip() for each in given["options"].split(",") if each.strip()),
        )


class EditAttributes(CategoryDialog):
    name = "attributes"
    title = Text("Характеристики", "Attributes")
    submit = Text("Сохранить", "Save")
    permissions = (CHANGE_CATEGORIES,)
    form_class = AttributesForm
    template_name = "structure/attributes.html"

    def form_arguments(self) -> dict[str, Any]:
        return {"own": self._own(), "inherited": self._above()}

    def explained(self) -> str:
        return self.told(ABOUT)

    def _above(self) -> list[Inherited]:
        """Attributes of the categories above, the farthest first."""
        return [
            self._inherited(CategoryAttribute.from_document(each), above.name)
            for above in self.seen.tree.ancestors(self.node)
            for each in above.attributes
        ]

    def act(self, form: AttributesForm, actor: Actor) -> Text:
        set_attributes(self.object_id, form.wanted, actor=actor, seen=form.seen_attributes())
        return SAVED

    def _own(self) -> list[CategoryAttribute]:
        own = map(CategoryAttribute.from_document, self.subject.get("attributes") or ())
        return sorted(own, key=lambda each: (each.position, each.name))

    def _inherited(self, attribute: CategoryAttribute, category: str) -> Inherited:
        is_overruled = attribute.name in {each.name for each in self._own()}
        return Inherited(
            attribute.name,
            said(TYPE_NAMES[attribute.type]),
            attribute.unit or "—",
            ", ".join(attribute.options) or "—",
            attribute.position,
            said(YES if attribute.filterable else NO),
            f"{category} ({said(OVERRULED)})" if is_overruled else category,
        )
