"""People in files of SPSS, Stata and SAS, with the labels of their codes (extra ``formats``).

The library that reads them ends the whole process on some damaged files. So it runs in a process of its own,
which hands the people over as Arrow; one that dies was given a damaged file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, MissingExtraError, TooLargeError
from dalenius.people.files.reading import refusing

STATISTICAL = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS"}
"""By the ending of a file: the program that writes it."""

REFUSED = 2
"""How the reading process ends when it can say what is wrong."""

AGAIN = "Save it again, or as CSV."


def read_statistical(path: Path) -> Any:
    """Read the people of such a file as an Arrow table.

    A column whose every value has a label is read as text of labels; one in which some values have none, such
    as an age with a code for "no answer", is read as numbers.

    Raises
    ------
    MissingExtraError
        Without pyreadstat.
    InputError
        For a damaged file.
    TooLargeError
        If it says that it unpacks to more than its size lets expect.
    """
    import pyarrow as pa

    program = STATISTICAL[path.suffix.lower()]
    try:
        import pyreadstat  # noqa: F401 (the other process uses it)
    except ImportError:
        raise MissingExtraError(f"reading a file of {program}", "pyreadstat", "formats") from None
    command = [sys.executable, "-P", "-m", "dalenius.people.files.statistical_child", str(path.absolute())]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (our own module)
    if done.returncode == REFUSED and done.stdout:
        said = json.loads(done.stdout)
        raise (TooLargeError if said.pop("large") else InputError)(**said)
    where, form = f"file {path.name!r}", f"a whole file of {program}"
    if done.returncode:  # its error stream may quote people: it is dropped
        raise InputError(where, f"must be {form}", "a damaged one", AGAIN)
    with refusing(where, form, AGAIN), pa.ipc.open_stream(done.stdout) as stream:
        return stream.read_all()
