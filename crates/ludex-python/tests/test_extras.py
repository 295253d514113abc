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


def test_what_work_on_many_machines_needs_is_named() -> None:
    script = """
import sys
sys.modules["ray"] = None
try:
    import pyarrow
except ImportError:
    sys.modules["pyarrow"] = None
else:
    import ludex.distributed
    assert len(list(ludex.distributed.run([], print))) == 0
    try:
        list(ludex.distributed.run(ludex.distributed.pieces_of("a"), print, workers=2))
    except ImportError as error:
        assert "pip install ludex[ray]" in str(error), error
    else:
        raise AssertionError("it was done")
    assert len(list(ludex.distributed.run(ludex.distributed.pieces_of("a"), print))) == 1
    for name in [name for name in sys.modules if name.startswith("pyarrow")]:
        sys.modules[name] = None
    for name in [name for name in sys.modules if name.startswith("ludex.")]:
        del sys.modules[name]
try:
    import ludex.distributed
except ImportError as error:
    assert "`ludex.distributed` needs pyarrow" in str(error) and "pip install ludex[ray]" in str(error), error
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
