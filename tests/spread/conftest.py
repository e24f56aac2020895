"""A cluster for the tests of a module: its threads do not live on beside tests of other things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers in threads of this process, reached over the loopback."""
    quiet = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **quiet) as found:
        yield found
