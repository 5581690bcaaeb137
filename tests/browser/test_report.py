"""The report of a text as a reader sees it: its height, its figures under their claims and numbered as the summary says."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import attn_core
from attn_core.report.document import html
from attn_core.report.of_results import of_text
from attn_core.texts.documents import samples

pytestmark = [pytest.mark.browser, pytest.mark.model]
HIGHEST = 6_000  # pixels of a report of the first sample text, with nothing unfolded
LAID_OUT = """() => [...document.querySelectorAll(".entry")].map(entry => {
  const box = element => element.getBoundingClientRect(), heading = box(entry.querySelector("h3"))
  return {
    claim: entry.querySelector("h3").innerText,
    figures: [...entry.querySelectorAll("figure")].map(box).map(figure =>
      figure.bottom <= box(entry).bottom && (figure.top >= heading.bottom || figure.left >= heading.right)),
  }
})"""
FIGURES_OF = {"C1": 0, "C2": 2, "C3": 1, "C4": 2, "C5": 2, "C6": 1, "C7": 1}


def test_a_report_of_a_text_is_no_higher_than_can_be_read_and_its_figures_stand_under_their_claims(
    chromium: Browser, tmp_path: Path
) -> None:
    text, file = samples()[0], tmp_path / "report.html"
    file.write_bytes(html(of_text(attn_core.analyze(text.text), text.title)))
    page = chromium.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") <= HIGHEST
    entries = page.evaluate(LAID_OUT)
    assert {entry["claim"][:2]: len(entry["figures"]) for entry in entries} == FIGURES_OF
    assert all(below_or_beside for entry in entries for below_or_beside in entry["figures"])
    captions = page.locator("figcaption").all_inner_texts()
    numbered = [re.match(r"Figure (\d+)\. ", caption) for caption in captions]
    assert [number and int(number[1]) for number in numbered] == [*range(1, len(captions) + 1)]
    summary = page.locator("section", has=page.get_by_role("heading", name="In short")).locator("p").all_inner_texts()
    for told, title in (("as in the paper: ", "The claims"), ("heads that stand out: ", "The role of every head")):
        (said,) = (said for said in summary if said.lower().startswith(told))
        (number,) = re.findall(r"\(Figure (\d+)\)", said)
        assert f"Figure {number}. {title}" in captions[int(number) - 1]
    page.close()
