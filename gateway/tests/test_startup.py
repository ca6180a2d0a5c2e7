"""What every process does before anything else is imported."""

import ctypes.util

import pytest

from gateway import startup


def test_nobody_looks_for_gdal_and_other_libraries_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[str] = []
    monkeypatch.setattr(startup, "_find_library", looked_for.append)

    for name in ("gdal", "GDAL", "gdal3.10.0", "geos_c"):
        ctypes.util.find_library(name)

    assert looked_for == ["geos_c"]
