"""Counts that somebody published about people on a list."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from dalenius.errors import InputError
from dalenius.reconstruction.published.counts import read_counts


def test_a_count_beyond_all_people_is_refused(tmp_path: Path) -> None:
    people = pd.DataFrame({"id": ["a", "b"], "sex": ["f", "m"]})
    (tmp_path / "asked.csv").write_text("query,id\nq1,a\nq1,b\n")
    (tmp_path / "said.csv").write_text("query,answer\nq1,1e308\n")
    with pytest.raises(InputError, match="line 2, column 'answer' must be a count of people"):
        read_counts(people, tmp_path / "said.csv", tmp_path / "asked.csv", id="id", secret="ill")
