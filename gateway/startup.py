"""What every process of the gateway does before anything else is imported."""

import ctypes.util

_find_library = ctypes.util.find_library


def forgo_gdal() -> None:
    """Let nobody look for GDAL: there are no maps here.

    strawberry-django and the database backend look for it under twelve names each, by way of the compiler where there
    is one: half of what a process takes to start. Django has no setting for «there is none».
    """
    ctypes.util.find_library = _find_library_but_gdal


def _find_library_but_gdal(name: str) -> str | None:
    return None if name.lower().startswith("gdal") else _find_library(name)
