"""A first look at a model with attn_core, from a text to tables, charts, copies and a study; run it cell by cell.

`python docs/example.py FOLDER` saves tables and charts in FOLDER, or else in a temporary one; run it from the root.
"""

# %% A text, and the model that comes with the package
import sys
import tempfile
from pathlib import Path

sys.path.append(".")  # finds the package where it is not installed

import attn_core
from attn_core.models.files import COPIES
from attn_core.texts.documents import samples

out = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="attn-core-"))
text = next(sample.text for sample in samples() if sample.file == "three_topics.txt")
analysis = attn_core.analyze(text)
heads = analysis.heads
print(heads[["layer", "head", "mean_distance", "chance_mean_distance", "role"]].head(12).to_string(index=False))
print(f"{analysis.layers['anchored_heads'].mean():.0%} of the heads gather around their anchor.")

# %% Every table, as CSV and Parquet; `python -m attn_core columns` describes the columns
out.mkdir(parents=True, exist_ok=True)
for name, data in analysis.files().items():
    (out / name).write_bytes(data)

# %% Altair charts, which save as .html, .svg and .png
attn_core.chart(analysis, "heads", "mean_distance").save(out / "map-of-heads.html")
attn_core.chart(analysis, "layers", "mean_distance").save(out / "mean-distance.svg")

# %% The same text with copies that never learned: an untrained one, and one with shuffled weights
print(f"model: mean distance by layer {analysis.layers['mean_distance'].round().astype(int).tolist()}")
for kind, name in COPIES.items():
    copy = attn_core.analyze(text, attn_core.ModelSpec(copy=(kind, 1)))
    print(f"{name}: mean distance by layer {copy.layers['mean_distance'].round().astype(int).tolist()}")

# %% One head: its similarity matrix, and the text without it
head = heads.loc[heads["repetition_share"].idxmax()]
name = f"L{head['layer']}H{head['head']}"
without = attn_core.analyze(text, attn_core.ablate(None, [name]))
print(f"{name}: similarities of {analysis.similarity(name).shape} tokens")
print(f"Without {name}: mean distance by layer {without.layers['mean_distance'].round().astype(int).tolist()}")

# %% Pairs of your own, compared with pairs at the same distance
own = attn_core.score_pairs(analysis, [("dough", "bread"), ("moon", "tide")]).nlargest(1, "score").iloc[0]
print(
    f"Own pairs: best in L{own['layer']:.0f}H{own['head']:.0f}, {own['score']:.0%}, by chance {own['chance_score']:.0%}"
)

# %% A study: the claims of the paper over several texts, with intervals and one untrained copy
texts = out / "texts"
texts.mkdir(exist_ok=True)
for sample in samples()[:5]:
    (texts / sample.file).write_text(sample.text, encoding="utf-8")
models = attn_core.with_baselines([attn_core.ModelSpec()], ["untrained"], seeds=1)
study = attn_core.run_study(attn_core.Corpus(str(texts)), models, out / "study", attn_core.StudySettings(windows=1))
print(study.of().claims[["claim", "effect", "value", "low", "high", "untrained", "verdict"]].to_string(index=False))
attn_core.chart(study, "claims").save(out / "claims.svg")
