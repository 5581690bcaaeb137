"""A first look at a model with attn_core, from a text to tables, charts, copies and a study; run it cell by cell.

`python docs/example.py FOLDER`, from the root of the repository, saves tables and charts in FOLDER (a temporary one unless named)
and prints what it finds; after `pip install .` it runs from anywhere.
"""

# %% A text and the model that comes with the package
import sys
import tempfile
from pathlib import Path

sys.path.append(".")  # the package, where the root of the repository is all that there is of it

import attn_core
from attn_core.models.files import COPIES
from attn_core.texts.documents import samples

out = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="attn-core-"))
text = next(sample.text for sample in samples() if sample.file == "three_topics.txt")
analysis = attn_core.analyze(text)

# %% One row a head: each statistic beside its chance level
heads = analysis.heads
shown = ["layer", "head", "mean_distance", "chance_mean_distance", "anchor", "role"]
print(heads[shown].head(12).to_string(index=False))

# %% What the heads are for
print(heads["role"].value_counts().to_string())

# %% How many gather around their anchor, more than the most common token does by chance
print(f"{analysis.layers['anchored_heads'].mean():.0%} of the heads gather.")

# %% Every table, as CSV and Parquet; `python -m attn_core columns` says what the columns mean
out.mkdir(parents=True, exist_ok=True)
for name, data in analysis.files().items():
    (out / name).write_bytes(data)

# %% Charts, as Altair makes them: .html, .svg, .png
attn_core.chart(analysis, "heads", "mean_distance").save(out / "map-of-heads.html")
attn_core.chart(analysis, "layers", "mean_distance").save(out / "mean-distance.svg")

# %% The same text read by copies that never learned: an untrained one, and one with shuffled weights
print(f"model: mean distance by layer {analysis.layers['mean_distance'].round().astype(int).tolist()}")
for kind, name in COPIES.items():
    copy = attn_core.analyze(text, attn_core.ModelSpec(copy=(kind, 1)))
    print(f"{name}: mean distance by layer {copy.layers['mean_distance'].round().astype(int).tolist()}")

# %% What a head makes alike: its matrix, token by token
head = heads.loc[heads["repetition_share"].idxmax()]
name = f"L{head['layer']}H{head['head']}"
print(f"{name}: similarities of {analysis.similarity(name).shape} tokens")

# %% Pairs of your own, by words or by positions, against pairs that are as far apart
own = attn_core.score_pairs(analysis, [("dough", "bread"), ("moon", "tide")]).nlargest(1, "score").iloc[0]
where = f"L{own['layer']:.0f}H{own['head']:.0f}"
print(f"Own pairs: best in {where}, {own['score']:.0%}, by chance {own['chance_score']:.0%}")

# %% The same text without that head
changed = attn_core.analyze(text, attn_core.ablate(None, [name]))
print(f"Without {name}: mean distance by layer {changed.layers['mean_distance'].round().astype(int).tolist()}")

# %% A study: the claims of the paper over several texts, with intervals; three copies of each kind would tell what is learned
texts = out / "texts"
texts.mkdir(exist_ok=True)
for sample in samples()[:5]:
    (texts / sample.file).write_text(sample.text, encoding="utf-8")
models = attn_core.with_baselines([attn_core.ModelSpec()], ["untrained"], seeds=1)
study = attn_core.run_study(attn_core.Corpus(str(texts)), models, out / "study", attn_core.StudySettings(windows=1))
print(study.of().claims[["claim", "effect", "value", "low", "high", "untrained", "verdict"]].to_string(index=False))
attn_core.chart(study, "claims").save(out / "claims.svg")
print(f"Tables and charts lie in {out}")
