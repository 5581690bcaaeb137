"""What the numbers of an ablation depend on, as its manifest keeps it and as it stands in every exported file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from attn_core.head import Head
from attn_core.interventions.settings import AblationSettings
from attn_core.interventions.tasks import Tasks, digest_of_gold
from attn_core.io.file_digest import digest_of
from attn_core.models.intervention import Intervention


def identity_of(settings: AblationSettings, heads: Sequence[Head], tasks: Tasks) -> dict[str, Any]:
    """The settings as the manifest has them, files by their digests; heads: those that are removed together."""
    told = {name: value for name, value in asdict(settings).items() if name not in ("labels", "gap", "gold")}
    labels, gap = (None if file is None else digest_of(file) for file in (settings.labels, settings.gap))
    return told | {"heads": [str(head) for head in heads], "labels_sha256": labels, "gap_sha256": gap,
                   "gold_sha256": digest_of_gold(tasks.gold) if tasks.gold else None}  # fmt: skip


def provenance_of(manifest: Mapping[str, Any], texts: pd.DataFrame, units: str) -> dict[str, object]:
    """Where the tables come from. texts: the table of what was read; units: what one of them is."""
    model, corpus, settings = manifest["model"], manifest["corpus"], dict(manifest["settings"])
    heads = settings.pop("heads")
    everything, whole = len(heads) == model["layers"] * model["heads"], settings["what"] == "entropy" and not heads
    told = {
        "model": model["name"], "revision": model["revision"], "corpus_sha256": corpus["fingerprint"],
        **{name: corpus[name] for name in ("column", "documents", "limit", "groups") if corpus.get(name)},
        "removed": "all heads" if everything else " ".join(heads),
        **settings, "replaced_by": "" if whole else Intervention((), settings["replace"]).in_words,
        "units": units, "texts": int((texts["problem"].isna() & (texts["part"] == 0)).sum()),
        "bad_texts": int(texts["problem"].notna().sum()),
        "program_version": manifest["program"]["version"],
    }  # fmt: skip
    if settings["what"] == "curve":
        told["split"] = f"of {units} the 1st, 3rd, 5th, ... choose the orders, the others are shown"
    return told
