"""Tiny fast tokenizers, trained on a text: of word pieces, of bytes, and of pieces that mark the start of a word."""

from functools import cache
from typing import Literal

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TokenizerKind = Literal["wordpiece", "bytes", "pieces", "ending"]
MASK = {"wordpiece": "[MASK]", "bytes": "<mask>"}  # of the tokenizers that masked models read with
# In order of their ids: [PAD] is 0 as in BERT, and <pad> is 1 as in RoBERTa.
SPECIAL: dict[TokenizerKind, dict[str, str]] = {
    "wordpiece": {
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"
    },
    "bytes": {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"},
    "ending": {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
    "pieces": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"},
}  # fmt: skip


@cache
def trained(kind: TokenizerKind, text: str, size: int) -> Tokenizer:
    """WordPiece as BERT has it, byte-level BPE as RoBERTa, and Metaspace pieces with an end token as T5."""
    special = list(dict.fromkeys(SPECIAL[kind].values()))
    if kind == "wordpiece":
        return _framed(_word_pieces(special, text, size), "[CLS] $A [SEP]", special)
    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=special, show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )  # fmt: skip
        frame = "<s> $A </s>"
    else:
        made = Tokenizer(models.BPE(unk_token="<unk>"))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=special, show_progress=False)
        frame = "$A </s>" if kind == "ending" else "<s> $A"
    made.train_from_iterator([text], trainer)
    return _framed(made, frame, special)


def _word_pieces(special: list[str], text: str, size: int) -> Tokenizer:
    """The same in every process: letters within words come first, whose order in training varies."""
    inner = ["##" + letter for letter in sorted(set("".join(text.lower().split())))]
    trained = _uncased(models.WordPiece(unk_token="[UNK]"))
    trained.train_from_iterator(
        [text], trainers.WordPieceTrainer(vocab_size=size, special_tokens=special + inner, show_progress=False)
    )
    return _uncased(models.WordPiece(trained.get_vocab(), unk_token="[UNK]"))


def _uncased(model: models.WordPiece) -> Tokenizer:
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return made


def _framed(made: Tokenizer, frame: str, special: list[str]) -> Tokenizer:
    ids = [(token, made.token_to_id(token)) for token in special]
    made.post_processor = processors.TemplateProcessing(single=frame, special_tokens=ids)
    return made
