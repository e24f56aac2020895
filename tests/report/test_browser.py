"""Reports in a real browser: quiet, whole without script, narrow, printed, and readable by everybody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dalenius.findings.report import Report
from dalenius.report.page.render import page_html

sync_api = pytest.importorskip("playwright.sync_api")

AXE = Path(__file__).parents[1] / "vendor/axe-core/axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOOK = "axe.run({resultTypes: ['violations']})"
"""Every rule is tried; places that keep one are not all described, which takes longer than looking."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        found = next(filter(None, map(shutil.which, NAMES)), own if own.exists() else None)
        if found is None:
            pytest.skip("no Chromium on this machine: `make browser` installs one where it may")
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(
    reports: dict[str, Report], whole: Report, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """A whole page, its version for the world, and one of each family."""
    place = tmp_path_factory.mktemp("pages")
    made = {goal: page_html(report) for goal, report in reports.items()}
    made |= {"whole": page_html(whole), "external": page_html(whole, external=True)}
    for name, text in made.items():
        (place / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: place / f"{name}.html" for name in made}


def opened(browser: Any, path: Path, **options: Any) -> tuple[Any, list[str]]:
    """Open a page, and listen to whatever it says or asks for."""
    context = browser.new_context(**options)
    page, heard = context.new_page(), []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    return page, heard


def test_every_page_is_quiet_and_fits_a_phone(browser: Any, pages: dict[str, Path]) -> None:
    for name, path in pages.items():
        page, heard = opened(browser, path, viewport={"width": 390, "height": 800})
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, name
        assert heard == [], name
        page.context.close()


def test_tables_sort_and_the_slider_moves(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["whole"])
    table = page.locator("#section-3 table.dal-sortable").first
    cells = "rows => rows.map(row => row.cells[9].textContent)"
    head = table.locator("thead button", has_text="mean error")
    head.click()
    assert table.locator("tbody tr").evaluate_all(cells)[0] == "0.5"
    head.click()
    assert table.locator("tbody tr").evaluate_all(cells)[0] == "11.3", "as numbers, not as words"
    assert table.locator("th[aria-sort=descending]").count() == 1
    slider = page.locator(".dal-slider input")
    said = page.locator(".dal-slider output")
    assert "sd 2:" in said.inner_text()
    slider.focus()
    page.keyboard.press("End")
    assert "sd 14.5" in said.inner_text()
    assert page.locator(".dal-chosen").count() == 2, "the mark in both pictures"
    assert heard == []
    page.context.close()


def test_it_is_whole_without_script(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["whole"], java_script_enabled=False)
    text = page.locator("body").inner_text()
    assert "noise, sd 14.5" in text
    assert "STOP" in text
    assert page.locator("h2").count() == 9
    assert not page.locator(".dal-slider input").is_visible()
    page.locator("summary").first.click()
    assert page.locator("details[open]").count() == 1, "details open without script"
    assert heard == []
    page.context.close()


def test_it_prints_on_a4_with_the_page_for_the_file(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["whole"], color_scheme="dark")
    page.get_by_label("Name", exact=True).fill("The one who signs")
    printed = page.pdf(prefer_css_page_size=True)
    assert printed.startswith(b"%PDF")
    assert len(printed) < 2_000_000
    page.emulate_media(media="print")
    ink = page.evaluate("getComputedStyle(document.documentElement).color")
    assert ink == "rgb(27, 27, 27)", "dark on white, whatever the screen"
    assert page.get_by_label("Name", exact=True).input_value() == "The one who signs"
    breaks = page.evaluate(
        "[7, 8].map(at => getComputedStyle(document.getElementById(`section-${at}`)).breakBefore)"
    )
    assert breaks == ["avoid", "page"], "how the attack works does not stand alone on a sheet"
    said = page.locator("#section-6 h3 + p").first
    assert said.evaluate("one => getComputedStyle(one).breakAfter") == "auto", "more may be on the next"
    several = page.locator("#section-6 ul:has(li + li + li + li)").first
    assert several.evaluate("one => getComputedStyle(one).breakInside") == "auto", "nor are lists kept whole"
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_those_who_see_or_hear_otherwise(
    scheme: str, browser: Any, pages: dict[str, Path]
) -> None:
    for name in ("whole", "external", "tracing") if scheme == "light" else ("whole",):
        page, _ = opened(browser, pages[name], color_scheme=scheme)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = page.evaluate(LOOK)
        assert len(found["passes"]) > 10, "it looked"
        grave = [
            (one["id"], one["impact"], [node["html"][:120] for node in one["nodes"][:3]])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert not grave, (name, grave)
        page.context.close()


def test_the_check_finds_what_is_planted(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["external"])
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\"><button></button>')")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    grave = {one["id"] for one in page.evaluate(LOOK)["violations"]}
    assert {"image-alt", "button-name"} <= grave
    page.context.close()
