"""Does a test fail where the code is wrong? Each of `MUTANTS` changes one place of a module; the test that it names must fail."""

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType

import pytest

ROOT = Path(__file__).parents[1]
# Module, what stands there once, what stands there instead, file of the test, what names it there.
MUTANTS = [
    ("head", "self.layer + 1, self.head + 1", "self.head + 1, self.layer + 1", "test_head", "one_name"),
    ("measures.pair_properties", "return second - first\n\n", "return second - first + 1\n\n", "measures/test_distances", "mean_distance_follows"),
    ("measures.pair_properties", "second - first <= NEAR", "second - first < NEAR", "measures/test_kinds", "first_kind"),
    ("measures.pair_properties", "np.where(passage.sentences < 0, -1 - np.arange(len(passage)), passage.sentences)", "passage.sentences", "measures/test_pair_properties", "mean_over_its"),
    ("measures.pair_properties", "dtype=bool)))).mean()", "dtype=bool)))).max()", "measures/test_pair_properties", "chance_is"),
    ("measures.pair_properties", "(passage.token_ids[second] == anchors)", "(passage.token_ids[first] == anchors)", "measures/test_pair_properties", "at_the_anchor"),
    ("measures.statistics", "is_separator & passage.is_special", "is_separator | passage.is_special", "measures/test_attention", "mean_over"),
    ("measures.statistics", "even[:, None, meant].sum(", "even[:, None].sum(", "measures/test_attention", "mean_over"),
    ("measures.distances", "2**k + 1 for", "2**k for", "measures/test_distances", "bins_hold"),
    ("measures.distances", "expected[here] += part.chance", "expected[here] = part.chance", "measures/test_distances", "chance_share"),
    ("measures.anchors", ".sum(axis=-1) - own", ".sum(axis=-1)", "measures/test_anchors", "shared_counts"),
    ("measures.clusters", "StandardScaler().fit_transform(chosen.to_numpy())", "chosen.to_numpy()", "measures/test_clusters", "z_scores"),
    ("measures.few_pairs", "< MIN_PAIRS", "<= MIN_PAIRS", "measures/test_few_pairs", ""),
    ("measures.repetition", "twice.pairs.sum(axis=-1) - of_most", "twice.pairs.sum(axis=-1)", "measures/test_repetition", "loop_over_pairs"),
    ("measures.repetition", "twice.expected.sum() - twice.expected[most]", "twice.expected.sum()", "measures/test_repetition", ""),
    ("measures.roles", "np.argsort(-bits, axis=1", "np.argsort(bits, axis=1", "measures/test_roles", ""),
    ("similarity.context_similarity", "z.mean(-2)[..., None, :]", "z.mean(-1)[..., None]", "similarity/test_context_similarity", "definition"),
    ("similarity.context_similarity", "return z / lengths(z)", "return z * lengths(z)", "similarity/test_context_similarity", "definition"),
    ("similarity.selection", "else ~passage.is_special", "else passage.is_special", "similarity/test_selection", "many_equal_values"),
    ("similarity.words", "first[1:] > reached[:-1]", "first[1:] >= reached[:-1]", "similarity/test_words", "loops_over_characters"),
    ("models.attention", "torch.softmax(weights, dim=-1", "torch.softmax(weights, dim=-2", "models/test_capture", "eager_network"),
    ("segmentation.partition", "+ 2 * np.cumsum(row) - row[0]", "+ np.cumsum(row)", "segmentation/test_partition", "formula"),
    ("segmentation.evaluation", "len(set(gold) & set(predicted))", "len(set(gold) | set(predicted))", "segmentation/test_evaluation", "scores_lie"),
    ("patterns.scores", "alike < value) + np.count_nonzero(", "alike <= value) + np.count_nonzero(", "patterns/test_scores", "like_distance"),
    ("models.ablation", "head.layer, head.head] = True", "head.head, head.layer] = True", "interventions/test_effects", ""),
    ("models.language_head", " / np.log(2)).tolist()", ").tolist()", "models/test_language_head", "whole_model_says"),
    ("io.exports", 'RISKY = r"^ *[=+', 'RISKY = r"^ *[+', "io/test_exports", "spreadsheet"),
    ("ui.widgets.escape", "{escape(text[start:end])}", "{text[start:end]}", "ui/widgets/test_valued_text", "markup"),
    ("texts.passages", "away.min() <= share / 2", "away.min() <= 0", "texts/test_passages", "short_sentences"),
    ("claims.table", "> np.ptp(", "> -np.ptp(", "claims/test_claims", "5_of_100"),
    ("numerics.leave_one_out", "np.sqrt(groups - 1)", "np.sqrt(groups)", "numerics/test_leave_one_out", "students"),
    ("analysis.reading", "passages[window - 1]", "passages[window - 2]", "analysis/test_one_text", ""),
]  # fmt: skip


class Changed(SourceFileLoader):
    """Finds and loads one module, with a changed text."""

    def __init__(self, name: str, old: str, new: str) -> None:
        super().__init__(f"attn_core.{name}", str(ROOT / "attn_core" / f"{name.replace('.', '/')}.py"))
        text = Path(self.path).read_text(encoding="utf-8")
        assert self.name not in sys.modules
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times: name one place"
        self.text = text.replace(old, new)

    def find_spec(self, name: str, *_places: object) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _name: str) -> CodeType:
        return compile(self.text, self.path, "exec")


def begin(module: str, old: str, new: str, tests: str, name: str) -> int:
    """Returns a fork of this process that runs the tests of a name with the changed module."""
    changed = Changed(module, old, new)  # before the fork: a text that is not there is an error, no mutant caught
    if child := os.fork():
        return child
    sys.meta_path.insert(0, changed)  # type: ignore[arg-type]
    asked = ["-qx", "--tb=no", "--no-header", "-p", "no:cacheprovider", "--hypothesis-profile", "unshrunk"]
    os._exit(pytest.main([*asked, f"tests/{tests}.py", "-k", name]))


if __name__ == "__main__":
    for module in ("attn_core.tensors", "hypothesis", "pandas", "scipy.stats", "sklearn.cluster"):
        import_module(module)  # once, before the forks
    missed = []
    for two in zip(MUTANTS[::2], MUTANTS[1::2], strict=True):
        running = [(mutant, begin(*mutant)) for mutant in two]
        missed += [mutant for mutant, child in running if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 1]
    sys.exit(f"not caught: {missed}" if missed else print(f"all {len(MUTANTS)} mutants are caught"))
