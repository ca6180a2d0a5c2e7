"""Dialogs about one category: put it elsewhere, take it into another, say from how many pieces on it runs low."""

from contextlib import suppress
from typing import Any

from django import forms
from django.urls import reverse

from admin_ext.jobs.controls import cancel
from admin_ext.jobs.errors import UnknownJob, WrongState
from admin_ext.jobs.links import job_url
from admin_ext.jobs.queue import id_under
from admin_ext.structure.jobs import CHANGE_CATEGORIES, submit_owed
from admin_ext.structure.reading import StaffTree, staff_tree
from catalog.changes.merges import begin_merge, give_up_merge
from catalog.documents import CategoryDocument
from catalog.listing import parameters
from catalog.listing.selection import Selection, count
from catalog.products.drafts import MAX_QUANTITY
from catalog.structure.branches import Standing, move_category
from catalog.structure.category_tree import CategoryNode
from catalog.structure.guard import low_at_in
from catalog.structure.thresholds import Own, set_threshold
from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.forms import ActionDialog, DialogForm
from gateway.staff.language import said

LAST, FIRST = "last", "first"
ROOT = Text("— в корне —", "— at the root —")
INTO = Text("Куда", "Where")
INTO_CATEGORY = Text("С какой категорией", "Into which category")
CHOOSE = Text("— выберите —", "— choose —")
PLACE = Text("Место", "Place")
AT_THE_END, AT_THE_START = Text("в конце", "last"), Text("в начале", "first")
WHOLE_BRANCH = Text(
    "«{path}» переедет со всем, что в ней: подкатегорий {below}, товаров {products}. Адреса товаров и категорий не "
    "изменятся, продажи не прервутся.",
    "“{path}” goes with all that is in it: {below} subcategories, {products} products. Addresses of products and "
    "categories stay, and nothing stops selling.",
)
WHOLE_MERGE = Text(
    "«{path}»: подкатегорий {below}, товаров {products}. Всё перейдёт в выбранную категорию, а эта будет удалена: её "
    "адрес «{slug}» перестанет открываться. Ссылки на товары останутся, товары продаются и во время переноса.",
    "“{path}”: {below} subcategories, {products} products. All of it goes into the chosen category, and this one is "
    "deleted: its address “{slug}” will no longer open. Links to products stay; they sell while they move.",
)
WHOLE_THRESHOLD = Text(
    "«{path}»: с какого остатка товары считаются заканчивающимися. Пусто — как в разделе выше, сейчас это {inherited}. "
    "Порог один для всех геозон и действует на всё, что ниже, где нет своего.",
    "“{path}”: from how many pieces on products run low. Empty: as above, {inherited} now. One for all geozones; it "
    "holds for all that is below and has none of its own.",
)
MANY = Text("очень много", "very many")
MOVED = Text("Категория «{name}» перенесена.", "Category “{name}” is moved.")
IN_ITS_PLACE = Text("Категория «{name}» уже там.", "Category “{name}” is there already.")
MERGED = Text("Категория «{name}» объединена и удалена.", "Category “{name}” is merged and deleted.")
MERGE_BEGAN = Text("Объединение началось.", "The merge has begun.")
GIVEN_UP = Text("Объединение прекращено: оставшиеся товары — на месте.", "The merge is given up: what is left stays.")
GIVE_UP = Text(
    "Товары, которые уже перенесены, останутся в новой категории; остальные — в «{path}».",
    "Products that have moved stay in the new category, the others in “{path}”.",
)
LOW_AT = Text("Мало — от, шт.", "Low from, pieces")
THRESHOLD_SET = Text(
    "Порог сохранён. Отметки у товаров обновит задание.", "The threshold is saved; a job marks products."
)


class CategoryDialog(ActionDialog):
    """A dialog whose subject is the category as it stands on the primary."""

    subject: CategoryDocument
    permissions = (CHANGE_CATEGORIES,)
    seen: StaffTree
    """The whole tree, when the dialog was asked for."""

    def find(self, object_id: str) -> CategoryDocument | None:
        self.seen = run(staff_tree())
        return self.seen.documents.get(object_id)

    @property
    def node(self) -> CategoryNode:
        return self.seen.tree.nodes[self.object_id]

    def address_after(self) -> str:
        return f"{reverse('admin:catalog_category_changelist')}#c-{self.object_id}"

    def told(self, text: Text, **values: object) -> str:
        """The text about this category: its path, how many are below, how many products."""
        products = count(Selection(filters={parameters.CATEGORY: self.object_id}))
        return said(
            text,
            path=self.seen.path_text(self.node),
            slug=self.object_id,
            below=len(self.seen.tree.within(self.object_id)) - 1,
            products=said(MANY) if products is None else products,
            **values,
        )


class MoveForm(DialogForm):
    parent = forms.ChoiceField(required=False)
    place = forms.ChoiceField()
    path = forms.CharField(widget=forms.HiddenInput, required=False)
    """Where it stood when the dialog was opened, with `position`."""
    position = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["parent"].label, self.fields["place"].label = said(INTO), said(PLACE)
        self.fields["parent"].choices = [("", said(ROOT)), *choices]  # type: ignore[attr-defined]
        places = [(LAST, said(AT_THE_END)), (FIRST, said(AT_THE_START))]
        self.fields["place"].choices = places  # type: ignore[attr-defined]

    @property
    def seen(self) -> Standing:
        given = self.cleaned_data
        return Standing(tuple(given["path"].split("/")) if given["path"] else (), given["position"])


class MoveCategory(CategoryDialog):
    name = "move"
    title = Text("Переместить в…", "Move to…")
    submit = Text("Переместить", "Move")
    form_class = MoveForm

    def initial(self) -> dict[str, Any]:
        path = self.subject["path"]
        return {"parent": path[-1] if path else "", "path": "/".join(path), "position": self.subject["position"]}

    def form_arguments(self) -> dict[str, Any]:
        return {"choices": self.seen.choices(without=self.object_id)}

    def explained(self) -> str:
        return self.told(WHOLE_BRANCH)

    def act(self, form: MoveForm, actor: Actor) -> str:
        parent = form.cleaned_data["parent"] or None
        siblings = [each.slug for each in self.seen.tree.children(parent) if each.slug != self.object_id]
        before = siblings[0] if siblings and form.cleaned_data["place"] == FIRST else None
        moved = move_category(self.object_id, parent=parent, before=before, actor=actor, seen=form.seen)
        submit_owed()
        return said(MOVED if moved else IN_ITS_PLACE, name=self.subject["name"])


class MergeForm(DialogForm):
    into = forms.ChoiceField()

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["into"].label = said(INTO_CATEGORY)
        self.fields["into"].choices = [("", said(CHOOSE)), *choices]  # type: ignore[attr-defined]


class MergeCategory(CategoryDialog):
    name = "merge"
    title = Text("Объединить с…", "Merge into…")
    submit = Text("Объединить", "Merge")
    form_class = MergeForm
    is_dangerous = True
    _job = ""

    @classmethod
    def is_offered(cls, subject: CategoryDocument) -> bool:
        return "merging" not in subject

    def form_arguments(self) -> dict[str, Any]:
        return {"choices": self.seen.choices(without=self.object_id)}

    def explained(self) -> str:
        return self.told(WHOLE_MERGE)

    def act(self, form: MergeForm, actor: Actor) -> str:
        has_products = begin_merge(self.object_id, form.cleaned_data["into"], actor=actor)
        owed = submit_owed()
        if not has_products:
            return said(MERGED, name=self.subject["name"])
        self._job = next(job["_id"] for job in owed if job["parameters"].get("category") == self.object_id)
        return said(MERGE_BEGAN)

    def address_after(self) -> str:
        return job_url(self._job) if self._job else reverse("admin:catalog_category_changelist")


class GiveUpMerge(CategoryDialog):
    name = "give-up-merge"
    title = Text("Прекратить объединение", "Give the merge up")
    submit = Text("Прекратить", "Give up")
    form_class = DialogForm

    @classmethod
    def is_offered(cls, subject: CategoryDocument) -> bool:
        return "merging" in subject

    def explained(self) -> str:
        return self.told(GIVE_UP)

    def act(self, form: DialogForm, actor: Actor) -> str:
        give_up_merge(self.object_id, actor=actor)
        # It could not go on without the mark; nobody has to see it fail.
        if merging := self.subject.get("merging"):
            with suppress(UnknownJob, WrongState):
                cancel(id_under(merging["token"]))
        return said(GIVEN_UP)


class ThresholdForm(DialogForm):
    low_at = forms.IntegerField(required=False, min_value=0, max_value=MAX_QUANTITY)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["low_at"].label = said(LOW_AT)


class SetThreshold(CategoryDialog):
    name = "threshold"
    title = Text("Порог малого остатка", "Threshold of low stock")
    submit = Text("Сохранить", "Save")
    form_class = ThresholdForm

    def initial(self) -> dict[str, Any]:
        return {"low_at": self.subject.get("low_at"), "seen": self.subject.get("low_at")}

    def explained(self) -> str:
        above = [self.seen.documents[each.slug] for each in self.seen.tree.ancestors(self.node)]
        return self.told(WHOLE_THRESHOLD, inherited=low_at_in(above))

    def act(self, form: ThresholdForm, actor: Actor) -> Text | None:
        given = form.cleaned_data
        if not set_threshold(self.object_id, given["low_at"], actor=actor, seen=Own(given["seen"])):
            return None
        submit_owed()
        return THRESHOLD_SET
