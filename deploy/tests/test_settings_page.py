"""docs/settings.md lists every variable that the settings read."""

from django.conf import settings

from deploy.tests.descriptions import (
    ROOT,
    Variable,
    settings_variables,
)


def test_settings_page_lists_what_the_settings_read() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    documented = {name.strip("`"): (kind, development, production) for name, kind, development, production, _ in rows}
    development, production = settings_variables("development"), settings_variables("production")
    assert len(documented) == len(rows)
    assert documented == {
        name: (variable.kind, *both_defaults(variable, production[name])) for name, variable in development.items()
    }


def both_defaults(development: Variable, production: Variable) -> tuple[str, str]:
    if development.default == settings.DEVELOPMENT_SECRET_KEY:
        return "a public one", "none"
    same = development.default == production.default
    return written(development.default), "same" if same else written(production.default)


def written(default: object) -> str:
    """A default as one would write it in the environment."""
    match default:
        case bool():
            text = str(default).lower()
        case list():
            text = ",".join(map(str, default))
        case dict():
            text = ",".join(f"{name}={value}" for name, value in default.items())
        case _:
            text = str(default)
    return f"`{text}`" if text else "empty"
