"""Reaching a scheduler: everything is refused in words before anything is sent where it must not go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import LocalCluster
from distributed.security import Security
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError
from dalenius.spread import connecting
from dalenius.spread.connecting import ClusterAddress, connected
from dalenius.spread.places import spread_out, working

CERTIFICATES = {"tls_ca_file": "ca-file", "tls_client_cert": "client.cert", "tls_client_key": "client.key"}
QUIET = {
    "threads_per_worker": 1,
    "processes": False,
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": 50,
}
"""Workers in threads of this process, reached over the loopback."""


def sums(**place: Any) -> list[int]:
    with working(**place):
        return list(spread_out(abs, [-1, -2], workers=1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tcp://10.0.0.7:8786", "must be tls:// on another machine"),
        ("tcp://scheduler:8786", "must be tls:// on another machine"),
        ("tls://me:word@scheduler:8786", "must be an address without a name or password"),
        ("scheduler:8786", "must be the address of a scheduler"),
        ("http://127.0.0.1:8786", "must be the address of a scheduler"),
        ("tls://scheduler", "must be the address of a scheduler"),
        ("tls://scheduler:port", "must be the address of a scheduler"),
        ("tls://[::1", "must be the address of a scheduler"),
    ],
)
def test_addresses_are_looked_at_before_anybody_connects(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        ClusterAddress.of(text)
    assert "me:word" not in str(refused.value)


def test_without_certificates_nothing_is_sent() -> None:
    with pytest.raises(InputError, match="must have certificates"), connected("tls://scheduler:8786"):
        pass


def written(secured: Security, folder: Path) -> dict[str, str]:
    """Dask's configuration for some certificates."""
    settings = {}
    for name, key in CERTIFICATES.items():
        (folder / name).write_text(getattr(secured, name))
        settings[f"distributed.comm.tls.{key}"] = str(folder / name)
    return settings


def test_certificates_are_those_of_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secured, strange = Security.temporary(), tmp_path / "strange"
    strange.mkdir()
    settings, others = written(secured, tmp_path), written(Security.temporary(), strange)
    with LocalCluster(n_workers=1, protocol="tls", security=secured, **QUIET) as found:
        assert found.scheduler_address.startswith("tls://")
        with pytest.raises(InputError, match="must have certificates"):
            sums(cluster=found.scheduler_address)
        with dask.config.set(settings):
            assert sums(cluster=found.scheduler_address) == sums()
        monkeypatch.setattr(connecting, "SECONDS", 1)
        with dask.config.set(others), pytest.raises(InputError, match="must be a scheduler that answers"):
            sums(cluster=found.scheduler_address)  # certificates of somebody else


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "SECONDS", 0.5)
    with pytest.raises(InputError, match="must be a scheduler that answers"), connected("tcp://127.0.0.1:9"):
        pass


class Told:
    """A client whose workers say this of themselves."""

    def __init__(self, told: dict[str, dict[str, str]]) -> None:
        self.told = told

    def run(self, _: object) -> dict[str, dict[str, str]]:
        return self.told


def test_workers_with_other_versions_or_none_are_refused() -> None:
    own = connecting.versions()
    other = own | {"numpy": "1.0", "instruction set": "another"}
    with pytest.raises(InputError, match="1 worker with another instruction set and another numpy"):
        connecting._check_workers(Told({"a": own, "b": other}))
    with pytest.raises(InputError, match="must have workers; got none"):
        connecting._check_workers(Told({}))


class ToldByScheduler:
    """A client whose scheduler says this of itself, or has no dalenius."""

    def __init__(self, told: dict[str, str] | None) -> None:
        self.told = told

    def run_on_scheduler(self, _: object) -> dict[str, str]:
        if self.told is None:
            raise ModuleNotFoundError("No module named 'dalenius'")
        return self.told


def test_a_scheduler_must_be_able_to_open_what_it_hands_on() -> None:
    own = connecting.versions()
    connecting._check_scheduler(ToldByScheduler(own | {"instruction set": "another"}))
    with pytest.raises(InputError, match="must have a scheduler with the versions of this"):
        connecting._check_scheduler(ToldByScheduler(own | {"numpy": "1.0"}))
    with pytest.raises(InputError, match="a scheduler that can import dalenius; got ModuleNotFoundError"):
        connecting._check_scheduler(ToldByScheduler(None))


def test_processes_and_a_cluster_are_one_too_many() -> None:
    with pytest.raises(InputError, match="must not be given with --cluster"), working(2, "tcp://127.0.0.1:1"):
        pass


def test_the_command_says_what_is_wrong_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("block,sex,count\nA,f,2\nA,m,1\n")
    words = ["reconstruct", "records", "--table", str(tmp_path / "t.csv"), "--out", str(tmp_path / "o")]
    done = CliRunner().invoke(app, words, env={"DALENIUS_CLUSTER": "tcp://10.0.0.7:8786"})
    assert done.exit_code == 2
    assert "must be tls:// on another machine" in " ".join(done.output.split())
    assert not (tmp_path / "o").exists()
