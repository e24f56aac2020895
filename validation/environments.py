"""Other people's tools in environments of their own: made on demand, spoken to by files, never imported.

Their requirements contradict each other and ours. An environment is kept in the folder for temporary files
and found there again; without a network there is none, and whoever asked goes on without that tool.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

TOOLS = {
    "anjana": "anjana==1.2.3",
    "anonymeter": "anonymeter==1.1.0",
    "anonypyx": "anonypyx==0.2.11",
    "ortools": "ortools==9.15.6755",
    "pgmpy": "pgmpy==1.1.2",
    "pycanon": "pycanon==1.3.6",
}


def environment(tool: str, home: Path | None = None) -> Path | None:
    """Return the Python of a tool's environment, making it if need be; None if it cannot be installed."""
    wanted = TOOLS[tool]
    folder = (home or Path(tempfile.gettempdir()) / "dalenius-peers") / wanted
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    done = folder / "installed"
    if done.exists():
        return python
    try:
        venv.create(folder, with_pip=True, clear=True)
    except subprocess.CalledProcessError:  # a Python without pip inside
        return None
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        return None
    done.touch()
    return python


def run(python: Path, script: str, *arguments: str) -> Any:
    """Run a script in such an environment; it prints one line of JSON at the end, which is returned."""
    command = [str(python), "-W", "ignore", "-c", script, *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(said.strip().splitlines()[-1])
