"""The examples for learners, each in its short form."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"


def run(name: str, folder: Path, *arguments: str, code: int = 0) -> str:
    """What an example prints, in a folder of its own."""
    command = [sys.executable, str(EXAMPLES / name), "--short", "--out", str(folder), *arguments]
    # The matrices are small: more threads would only wait for each other.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_first_game(tmp_path: Path) -> None:
    printed = run("first_game.py", tmp_path)
    assert "error[L030]" in printed and "It has 694 states." in printed and "'green': 0} after 5 steps" in printed
    assert (tmp_path / "board.svg").read_text().startswith("<svg")
    assert "data-ludex-match" in (tmp_path / "match.html").read_text()


def test_alpha_zero(tmp_path: Path) -> None:
    printed = run("alpha_zero.py", tmp_path)
    assert printed.count("against uct of 10 playouts") == printed.count("against every way to play") / 2 == 2


def test_openspiel_against_ludex(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    command = shutil.which(os.environ.get("LUDEX", "ludex"))
    if command is None:
        pytest.skip("no command `ludex`: it is looked for in LUDEX and on the PATH")
    printed = run("openspiel_against_ludex.py", tmp_path, "--ludex", command)
    assert printed.count("tic-tac-toe, seed 1") == 2
    assert "data-ludex-match" in (tmp_path / "openspiel_against_ludex.html").read_text()


def test_without_the_command_it_says_so(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    printed = run("openspiel_against_ludex.py", tmp_path, "--ludex", "no-such-command", code=2)
    assert "`no-such-command` is not there" in printed


@pytest.mark.parametrize("frames", ["polars", "pandas"])
def test_tournament_with_polars(tmp_path: Path, frames: str) -> None:
    pytest.importorskip(frames)
    if frames == "pandas":
        # As if polars were not there.
        (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['polars'] = None\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        printed = run("tournament_with_polars.py", tmp_path)
    assert "60 matches played" in printed and "Mean goals by game and role" in printed
    assert ("shape" in printed or "┌" in printed) == (frames == "polars")
