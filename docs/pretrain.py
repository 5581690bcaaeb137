"""A masked language model trained from nothing: `PYTHONPATH=. python docs/pretrain.py TEXTS OUT`.

TEXTS: a folder of texts, or a file (.txt, .xz) with a blank line between books. OUT gets checkpoints at
steps that double, aside/ (excerpts of 40 books not trained on) and loss.csv. The same command resumes, with other
masks. For a study of the steps: `study --checkpoints OUT`.
"""

import argparse
from itertools import chain, islice
from pathlib import Path

import numpy as np
import transformers as hf

import attn_core


class Looks(hf.TrainerCallback):
    def on_step_end(self, args, state, control, **given):  # noqa: ARG002
        control.should_save = control.should_evaluate = state.global_step in looks


def windows(tokens, length):
    rows = tokens[: len(tokens) // (length - 2) * (length - 2)].reshape(-1, length - 2)
    return [{"input_ids": [ids["cls_token_id"], *row, ids["sep_token_id"]]} for row in rows.tolist()]


ask = argparse.ArgumentParser(description=__doc__)
for name in ("texts", "out"):
    ask.add_argument(name, type=Path)
ask.add_argument("--steps", type=int, default=3072, help="of 2,048 tokens each")
ask.add_argument("--seed", type=int, default=0, help="of the first weights, the order of the texts and their masks")
texts, out, steps, seed = vars(ask.parse_args()).values()
looks = {steps, *(2**n for n in range(3, 30)), *(3 * 2**n for n in range(5, 30))}
ids = {f"{name}_token_id": number for number, name in enumerate(("pad", "unk", "cls", "sep", "mask"))}
hf.set_seed(0)

# Excerpts of 40 books are kept aside; the other books are read in random order with their own word pieces.
found = attn_core.Corpus(str(texts), documents="file" if texts.is_dir() else "blank-line").texts()
books = [book.text for book in found if book.text]
order = np.random.default_rng(0).permutation(len(books)).tolist()
aside = [number for number in order if len(books[number]) > 20_000][:40]
train = [books[number] for number in order if number not in aside]
if len(aside) < 40 or not train:
    ask.error("It takes more than 40 books of 20,000 characters: 40 are kept aside.")
kept = [books[number][len(books[number]) // 2 :].partition("\n")[2][:4000] for number in aside]
(out / "aside").mkdir(parents=True, exist_ok=True)
for number, text in zip(aside, kept, strict=True):
    (out / "aside" / f"book-{number:04d}.txt").write_text(text[:2000].rpartition(" ")[0], encoding="utf-8")
if not (out / "words").exists():
    start = hf.BertTokenizerFast(model_max_length=256)
    start.train_new_from_iterator((book[:40_000] for book in train), 8000).save_pretrained(out / "words")
tokenizer = hf.AutoTokenizer.from_pretrained(out / "words")
read = (chain.from_iterable(tokenizer.encode(one, add_special_tokens=False) for one in some) for some in (train, kept))
stream, middles = (np.fromiter(islice(some, steps * 2048), int) for some in read)
passages = np.random.default_rng(seed).permutation(stream[: len(stream) // 256 * 256].reshape(-1, 256)).ravel()
lengths = [min(256, 32 * 2 ** (8 * step // steps)) for step in range(steps)]  # doubled every eighth of the steps
batches = [windows(*batch) for batch in zip(np.array_split(passages, steps), lengths, strict=True)]
mask = hf.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
held = [mask([window]) for window in windows(middles, 256)]  # the same for every seed
# Baselines: unigram frequencies, and bigram frequencies smoothed with 200 pseudo-counts of the unigrams.
labels, seen = (np.concatenate([window[name] for window in held]) for name in ("labels", "input_ids"))
row, at = np.nonzero(labels != -100)
word, before, n = labels[row, at], np.where(labels == -100, seen, labels)[row, at - 1], len(tokenizer)
counts, pairs = np.bincount(stream, minlength=n), np.bincount(stream[:-1] * n + stream[1:], minlength=n * n)
alone, pair = (counts[word] + 1) / (counts.sum() + n), pairs[before * n + word]
unigram, bigram = -np.log(alone).mean(), -np.log((pair + 200 * alone) / (counts[before] + 200)).mean()
shape = hf.ModernBertConfig(
    num_hidden_layers=6, num_attention_heads=8, hidden_size=256, intermediate_size=512, vocab_size=n,
    sparse_prediction=True, max_position_embeddings=512, global_attn_every_n_layers=1,
    bos_token_id=None, eos_token_id=None, **ids,
)  # fmt: skip
settings = hf.TrainingArguments(
    str(out), max_steps=steps, learning_rate=1.5e-3, warmup_steps=steps // 20, adam_beta2=0.98, weight_decay=0.01,
    lr_scheduler_type="warmup_stable_decay", lr_scheduler_kwargs={"num_decay_steps": steps // 5}, seed=seed,
    optim="adamw_torch_fused", per_device_train_batch_size=1, per_device_eval_batch_size=1,
    train_sampling_strategy="sequential", save_strategy="no", use_cpu=True, bf16=True,
    remove_unused_columns=False, prediction_loss_only=True, eval_on_start=True,
)  # fmt: skip
pick = lambda given: given[0] if "labels" in given[0] else mask(given[0])  # noqa: E731
hf.set_seed(seed)
trainer = hf.Trainer(hf.ModernBertForMaskedLM(shape), settings, pick, batches, held, tokenizer, callbacks=[Looks()])
last = max((int(path.parent.name[11:]) for path in out.glob("checkpoint-*/trainer_state.json")), default=0)
print(f"{steps - last} steps, {trainer.model.num_parameters():,} parameters.", flush=True)
if not last:
    trainer.save_model(str(out / "checkpoint-0"))
trainer.train(resume_from_checkpoint=str(out / f"checkpoint-{last}") if last else None)
rows = [[log["step"], log["eval_loss"], unigram, bigram] for log in trainer.state.log_history if "eval_loss" in log]
np.savetxt(out / "loss.csv", rows, "%.5g", ",", header="step,loss,unigram,bigram", comments="")
