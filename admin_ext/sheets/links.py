"""Ways to the pages of imports, and to files."""

from django.urls import reverse

from catalog.exchange.sheets.rows import Format


def import_url(import_id: str) -> str:
    """The page of the import: what is in the file, and what became of it."""
    return reverse("admin:sheets_sheetimport_change", args=[import_id])


def template_url(format_: Format) -> str:
    """Where an empty file of this format is downloaded."""
    return f"{reverse('admin:import_template')}?format={format_.value}"


def file_url(file_id: str) -> str:
    """Where the file is downloaded."""
    return reverse("admin:sheet_file", args=[file_id])
