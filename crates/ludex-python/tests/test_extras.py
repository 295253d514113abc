"""What the adapters for other projects say where those are not installed."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("extra", "package"),
    [
        ("gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo"),
        ("openspiel", "pyspiel"),
    ],
)
def test_missing_packages_are_named(extra: str, package: str) -> None:
    script = f"""
import sys
sys.modules["{package}"] = None
import ludex
try:
    import ludex.{extra}
except ImportError as error:
    assert "pip install ludex[{extra}]" in str(error), error
else:
    raise AssertionError("it was imported")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_core_needs_none_of_them() -> None:
    script = """
import sys, ludex
foreign = {"gymnasium", "pettingzoo", "pyspiel", "ray", "pyarrow", "pandas", "polars"} & set(sys.modules)
assert not foreign, foreign
"""
    subprocess.run([sys.executable, "-c", script], check=True)
