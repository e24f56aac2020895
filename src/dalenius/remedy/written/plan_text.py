"""Write a changed plan: the text of the old one with the changed tables in it, each changed line marked."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dalenius.auditing.plan import KNOWN, Plan, check_plan
from dalenius.auditing.plan_parts import PRIOR_FILES
from dalenius.errors import InputError
from dalenius.people.opening import is_address

HEADER = re.compile(r"^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(#.*)?$")
QUERIES = "queries:path="
OF_AMOUNTS = ("groups", "margins", "hide_below", "hide_p", "hide_more", "apart")


def changed_text(
    text: str,
    plan: Plan,
    said: str,
    *,
    folder: Path,
    out: Path,
    made: Mapping[Path, Path] = MappingProxyType({}),
) -> str:
    """Return the text of a changed plan.

    Parameters
    ----------
    text
        The plan as it is.
    plan
        The changed plan.
    said
        The change in words.
    folder, out
        Where the plan is, and where the new one will be: paths in it lead to the same files.
    made
        Files of the changed plan that will be beside it: where they will be, and where they are now.

    Raises
    ------
    InputError
        If the new text would not be the changed plan: it is read back and compared.
    """
    raw = tomllib.loads(text)
    lines = _without_changed(text.splitlines(), raw, plan)
    body = "\n".join(_moved(line, raw, folder, out) for line in lines).rstrip()
    new = [_release(each, raw, (folder, out), {str(path) for path in made}) for each in plan.release]
    columns = _columns(raw, plan)
    head = [f"# Changed by dalenius remedy: {said}.", "# Changed lines end with '# changed'.", ""]
    parts = [*head, body, "", *columns, *("\n".join(each) + "\n" for each in new)]
    whole = "\n".join(parts)
    _check(whole, plan, out, {_name(str(new), out): str(now) for new, now in made.items()})
    return whole


def _without_changed(lines: list[str], raw: Mapping[str, Any], plan: Plan) -> list[str]:
    """The lines of all tables that are not written anew: the releases are, and the schema if it changed."""
    anew = {"release"} | ({"schema"} if _changed_classes(raw, plan) else set())
    kept, writing = [], True
    for line in lines:
        header = HEADER.match(line)
        if header is not None:
            writing = header.group(1).split(".")[0].strip().strip("\"'") not in anew
        if writing:
            kept.append(line)
    return kept


def _changed_classes(raw: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """Keys of the schema that say what the classes of columns are, where they changed."""
    before = raw.get("schema", {})
    bins = {name: list(cuts) for name, cuts in before.get("bins", {}).items()}
    now = {"bins": plan.columns.bins, "merged": plan.columns.merged}
    old = {"bins": bins, "merged": before.get("merged", {})}
    return {key: value for key, value in now.items() if value != old[key]}


def _columns(raw: Mapping[str, Any], plan: Plan) -> list[str]:
    changed = _changed_classes(raw, plan)
    if not changed:
        return []
    schema = dict(raw.get("schema", {})) | changed
    lines = ["[schema]"]
    lines += [f"{key} = {toml(value)}{'  # changed' * (key in changed)}" for key, value in schema.items()]
    return [*lines, ""]


def _release(
    release: Any, raw: Mapping[str, Any], places: tuple[Path, Path], made: Collection[str]
) -> list[str]:
    """One release, as it was or with its changed lines marked."""
    folder, out = places
    before = next((each for each in raw["release"] if each.get("name") == release.name), None)
    now = release.model_dump(mode="json", exclude_unset=True)
    if "statistics" in now:
        now["statistics"] = [_question(text, out) for text in now["statistics"]]
        asked = [_asked(text, folder, out) for text in (before or {}).get("statistics", [])]
        before = before and before | {"statistics": asked}
    lines = ["[[release]]"]
    for key, value in now.items():
        if value is None:
            continue
        made_for_it = _is_made(value, made)
        new = made_for_it or before is None or _differs(key, before, now)
        if made_for_it:
            said = [_name(each, out) for each in value] if isinstance(value, list) else _name(value, out)
        else:
            said = _as_before(key, value, None if new and not _holds_path(key) else before, places)
        lines.append(f"{key} = {toml(said)}{'  # changed' * new}")
    return lines


def _is_made(value: Any, made: Collection[str]) -> bool:
    """Whether a value names files that were made for the changed plan."""
    return any(
        each in made for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    )


def _name(path: str, out: Path) -> str:
    return Path(os.path.relpath(path, out)).as_posix()


def _as_before(key: str, value: Any, before: Mapping[str, Any] | None, places: tuple[Path, Path]) -> Any:
    """A value as it was written; files from the new place, of several by name those that are still used."""
    told = value if before is None else before.get(key, value)
    if not _holds_path(key):
        return told
    return _beside({name: told[name] for name in value} if isinstance(told, dict) else told, *places)


def _question(text: str, out: Path) -> str:
    """A statistic whose file is led to from the new place."""
    if not text.startswith(QUERIES):
        return text
    return QUERIES + Path(os.path.relpath(text.removeprefix(QUERIES), out)).as_posix()


def _asked(text: str, folder: Path, out: Path) -> str:
    return _question(f"{QUERIES}{folder / text.removeprefix(QUERIES)}", out) if QUERIES in text else text


def _differs(key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether the plan says something else than it did; files are never changed, only led to."""
    if key == "hierarchies":
        return {*before.get(key, {})} != {*now[key]}
    if key not in before and now[key] in ([], {}, False):
        return False  # said outright now, and as it was
    return not _holds_path(key) and before.get(key) != now[key]


def _holds_path(key: str) -> bool:
    return key in ("path", "hierarchies", "tables", "people")


def _beside(value: Any, folder: Path, out: Path) -> Any:
    if isinstance(value, dict):
        return {key: _beside(each, folder, out) for key, each in value.items()}
    if isinstance(value, list):
        return [_beside(each, folder, out) for each in value]
    return relative(value, folder, out)


def relative(path: str, folder: Path, out: Path) -> str:
    """Lead from one folder to the file that a path leads to from another.

    Examples
    --------
    >>> relative("people.csv", Path("plans"), Path("plans/out"))
    '../people.csv'
    """
    if is_address(path) or Path(path).is_absolute():
        return path
    return Path(os.path.relpath(folder / path, out)).as_posix()


def _moved(line: str, raw: Mapping[str, Any], folder: Path, out: Path) -> str:
    """A line whose files are led to from the new place."""
    for path in _paths(raw):
        for quote in ('"', "'"):
            if f"{quote}{path}{quote}" in line:
                line = line.replace(f"{quote}{path}{quote}", toml(relative(path, folder, out)))
    return line


def _paths(raw: Mapping[str, Any]) -> Iterator[str]:
    """The files that a plan names outside its releases."""
    knowledge = raw.get("knowledge", {})
    prior = knowledge.get("prior")
    named = [raw.get("data", {}).get("path"), *(knowledge.get(key) for key in KNOWN)]
    named += [prior] if isinstance(prior, str) else [(prior or {}).get(key) for key in PRIOR_FILES]
    for path in named:
        if isinstance(path, str):
            yield path


def toml(value: Any) -> str:
    """Write a plain value in TOML.

    Examples
    --------
    >>> toml({"age": [30, 50], "by": "year"})
    '{ "age" = [30, 50], "by" = "year" }'
    """
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {toml(v)}" for key, v in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)


def _check(text: str, plan: Plan, out: Path, now: Mapping[str, str]) -> None:
    """Read the new plan back, with its files where they are now: it must be the one that was tried."""
    raw = tomllib.loads(text)
    for release in raw["release"]:
        for key in {"path", "tables"} & release.keys():
            told = release[key]
            release[key] = (
                [now.get(each, each) for each in told] if isinstance(told, list) else now.get(told, told)
            )
    got = check_plan(raw, out, "the changed plan")
    same = got.columns == plan.columns and got.policy == plan.policy and got.seed == plan.seed
    same &= [_essence(each) for each in got.release] == [_essence(each) for each in plan.release]
    if not same:
        fix = "Please report this."
        raise InputError("the changed plan", "must read back as it was tried", "another", fix)


def _essence(release: Any) -> tuple[Any, ...]:
    texts = [QUERIES if text.startswith(QUERIES) else text for text in getattr(release, "statistics", [])]
    told = [getattr(release, key, None) for key in ("mechanism", "quasi", "queries", "dropped", *OF_AMOUNTS)]
    return release.name, texts, *told
