"""What a researcher does with the dashboard, in a real browser."""

import csv
import re
import zipfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, expect

import attn_core
from attn_core.texts.own_texts import first_words
from tests.browser.conftest import Watched, watch
from tests.study.made_up import write_corpus
from tests.ui.pages import text_of

pytestmark = [pytest.mark.browser, pytest.mark.model]
TEXT = "The lamp is lit. The keeper climbs the stair, and the lamp turns. Ships see the lamp. Nobody sees the keeper."


def paste(tab: Watched, text: str) -> None:
    tab.page.get_by_role("combobox", name=re.compile("Text")).click()
    tab.page.get_by_role("option", name="New text").click()
    box = tab.page.get_by_label("Paste or type a text")
    box.fill(text)
    box.press("Control+Enter")
    shows_text(tab, text)
    tab.ready()


def shows_text(tab: Watched, text: str) -> None:
    """The sidebar has the text, by its first words."""
    box = tab.page.locator(".st-key-text").get_by_role("combobox")
    expect(box).to_have_value(re.compile(re.escape(first_words(text))))


@pytest.mark.long
def test_a_cell_of_the_map_becomes_head_a_on_every_page(tab: Watched) -> None:
    tab.open()
    cell = tab.page.locator('[data-testid="stVegaLiteChart"] .mark-rect path').nth(3 * 12 + 10)  # layer 4, head 11
    cell.click(force=True)  # the number printed on the cell lies above it
    tab.leads_to("a=L4H11")
    tab.menu("Heads").shows("L4H11")
    assert "a=L4H11" in tab.address()


@pytest.mark.long
def test_why_sun_and_tide_are_alike_is_found_from_home_in_three_clicks(tab: Watched) -> None:
    tab.open("?text=Three+topics")
    (head,) = tab.page.locator(".st-key-notable button").filter(has_text="“tide”").all()
    expect(head).to_contain_text("are alike, since they read “moon”")
    head.click()
    tab.leads_to("a=L6H12")
    part = tab.page.locator(".st-key-head-a")
    part.get_by_role("radio", name="why").click()
    part.locator("[class*=st-key-with-]").get_by_text("tide", exact=True).click()
    expect(part).to_contain_text(
        re.compile(r"“sun” \(93\) and “tide” \(126\) have a similarity.* “moon” \(6 times\) 8\d%")
    )
    tab.ready()
    part.locator("span.word").filter(has_text="sand").click()
    expect(part).to_contain_text("Why is “sand” like")
    tab.ready().menu("Heads").shows("Why are “sun” (93) and “moon” (97) alike?")


@pytest.mark.long
def test_a_pasted_text_is_analysed_and_stays_through_reload_menu_and_back(tab: Watched) -> None:
    tab.open()
    paste(tab, TEXT)
    tab.page.reload()
    shows_text(tab, TEXT)
    expect(tab.page.get_by_label("Paste or type a text")).to_have_value(TEXT)
    tab.ready().menu("Distances")
    shows_text(tab, TEXT)
    tab.shows(of_head_a(tab, attn_core.analyze(TEXT)))
    tab.page.go_back()
    shows_text(tab, TEXT)
    expect(tab.page.get_by_label("Paste or type a text")).to_have_value(TEXT)
    tab.ready()


def of_head_a(tab: Watched, analysis: attn_core.Analysis) -> str:
    """What Distances says of head A, by the numbers of the library."""
    named = re.search(r"L(\d+)H(\d+)", tab.page.locator(".st-key-head-a").inner_text())
    assert named, "the part of head A is headed by its name"
    row = analysis.heads.set_index(["layer", "head"]).loc[(int(named[1]), int(named[2]))]
    distance, chance = (f"{row[name]:.0f}" for name in ("mean_distance", "chance_mean_distance"))
    return f"{distance} tokens apart on average (chance {chance}), {row['same_sentence_share']:.1%} of them lie inside"


@pytest.mark.long
def test_a_csv_with_the_numbers_of_the_library_a_zip_and_a_figure_come_down(
    tab: Watched, tiny: str, tmp_path: Path
) -> None:
    tab.open(f"Distances?text=A+refrain&open-layers=true&model={tiny}")
    table = tab.page.get_by_test_id("stDownloadButton").filter(has_text="CSV").get_by_role("button").first
    with saved(tab, table, tmp_path / "layers.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    expected = attn_core.analyze(text_of("A refrain"), tiny).layers["mean_distance"]
    assert [float(row["mean_distance"]) for row in rows] == pytest.approx(expected.tolist())
    everything = saved(tab, tab.page.get_by_role("button", name="All tables (ZIP)"), tmp_path / "everything.zip")
    names = set(zipfile.ZipFile(everything).namelist())
    assert {"heads.csv", "keywords.csv", "tokens.csv", "provenance.json"} <= names
    tab.page.get_by_role("button", name="Save figure").first.click()
    figure = saved(tab, tab.page.get_by_role("button", name="SVG").first, tmp_path / "figure.svg")
    assert "<svg" in figure.read_text(encoding="utf-8")


def saved(tab: Watched, button: Locator, file: Path) -> Path:
    """The file, written by a download button."""
    with tab.page.expect_download(timeout=120_000) as download:
        button.click()
    download.value.save_as(file)
    return file


def test_markup_in_a_text_is_shown_as_text(tab: Watched, tiny: str) -> None:
    tab.open(f"?text=A+refrain&model={tiny}")
    paste(
        tab, "<script>document.title='caught'</script> <b>bold</b> **stars**. Nothing of it runs, and all of it shows."
    )
    assert "caught" not in tab.page.title()
    assert "<b>bold</b>" in tab.page.evaluate(
        "() => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.textContent ?? '').join('')"
    )


@pytest.mark.long
@pytest.mark.timeout(600)
def test_twenty_sessions_at_once_have_their_own_numbers(chromium: Browser, dashboard: str, tiny: str) -> None:
    context, texts = chromium.new_context(), ("A refrain", "Pronouns", "A dialogue on the stairs", "Three topics")
    analyses = [attn_core.analyze(text_of(title), tiny) for title in texts]
    tabs = [watch(context.new_page(), dashboard) for _ in range(20)]
    for at, tab in enumerate(tabs):
        asked = {"model": tiny, "text": texts[at % 4], "a": f"L{at % 3 + 1}H{at // 5 + 1}"}
        tab.page.goto(f"{dashboard}/Distances?{urlencode(asked)}", wait_until="commit")
    shown = []
    for at, tab in enumerate(tabs):
        shown.append(of_head_a(tab.ready(), analyses[at % 4]))
        tab.shows(shown[-1])
        assert not tab.errors
    assert len(set(shown)) > 12
    context.close()


@pytest.mark.long
def test_keys_skip_the_sidebar_and_choose_a_head(tab: Watched, tiny: str) -> None:
    tab.open(f"?text=A+refrain&model={tiny}")
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the page")).to_be_focused()
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("() => !!document.activeElement.closest('[data-testid=\"stMain\"]')")
    tab.page.get_by_role("combobox", name=re.compile("Head A")).focus()
    tab.page.keyboard.type("L2H1", delay=30)
    expect(tab.page.get_by_role("option", name="L2H1")).to_be_visible()
    tab.page.keyboard.press("Enter")
    tab.leads_to("a=L2H1").shows("L2H1 sees it")


@pytest.mark.long
def test_the_tab_key_leaves_a_table_at_once(tab: Watched, tiny: str) -> None:
    tab.open(f"Distances?text=A+refrain&open-layers=true&model={tiny}")
    tab.page.get_by_test_id("data-grid-canvas").first.focus()
    tab.page.keyboard.press("Tab")
    assert not tab.page.evaluate("() => !!document.activeElement.closest('[data-testid=\"stDataFrame\"]')")


@pytest.mark.long
def test_a_row_of_strongest_pairs_takes_the_matrices_there(tab: Watched) -> None:
    tab.open("Heads?text=A+refrain&a=L1H1&open-strongest=true")
    readout = tab.page.locator("output").first
    expect(readout).to_have_text("Point at a cell")
    table = tab.page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    tab.page.wait_for_timeout(1000)
    box = table.bounding_box()
    assert box
    tab.page.mouse.click(box["x"] + 40, box["y"] + 55)
    pairs = attn_core.analyze(text_of("A refrain")).windows[0]
    first, second = pairs.first[0, 0, 0], pairs.second[0, 0, 0]
    expect(readout).to_contain_text(f"row {first}")
    expect(readout).to_contain_text(f"column {second}")


@pytest.mark.long
def test_words_clicked_on_patterns_make_pairs_that_stay_in_the_address(tab: Watched) -> None:
    tab.open("Patterns?text=A+refrain")
    words = tab.page.locator("span.word")
    below_title = """word => word.getBoundingClientRect().y - document.querySelector("h1").getBoundingClientRect().y"""
    before, stood = None, words.nth(3).evaluate(below_title)  # not on the screen, since a click may scroll
    while stood != before:  # on a busy machine what stands above it may still be on its way
        tab.page.wait_for_timeout(1000)
        before, stood = stood, words.nth(3).evaluate(below_title)
    words.nth(3).click()
    words.nth(16).click()
    for place in (20, 21):  # before the page has run for the first pair, whatever moves below the mouse then
        words.nth(place).dispatch_event("click")
    tab.shows("Pairs: 2. With fewer than 20 no head is named.")
    tab.ready()
    assert abs(words.nth(3).evaluate(below_title) - stood) < 8  # the text does not jump under the pointer
    words.nth(16).click()
    words.nth(3).click()
    expect(tab.page).to_have_url(re.compile(r"marks=20-21(&|$)"), timeout=60_000)


@pytest.mark.long
def test_a_study_is_seen_at_work_until_it_is_finished_and_then_deleted(tab: Watched, tiny: str, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "texts", texts=6)
    asked = {"corpus_source": "A folder or file on this machine", "corpus_path": str(corpus), "study_name": "seen"}
    tab.open(f"Corpus?{urlencode({'model': tiny, 'tab': 'Start a study'} | asked)}")
    main = tab.page.get_by_test_id("stMain")
    main.get_by_role("button", name="Start", exact=True).click()
    expect(main.get_by_test_id("stProgress")).to_be_visible()
    tab.shows("Finished: 6 texts")
    tab.shows("beyond our threshold")
    tab.ready()
    main.get_by_role("button", name="Delete", exact=True).click()
    tab.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Delete seen").click()
    tab.shows("seen is deleted")
