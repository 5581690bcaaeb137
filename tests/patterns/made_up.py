"""A small annotated file, for the readers and for the whole way."""

from pathlib import Path

from attn_core.study.corpus import Corpus
from tests.study.made_up import SENTENCES, write_texts

GENERIC = "# global.Entity = eid-etype-head-other"
WORDS = f"""# newdoc id = first
{GENERIC}
# newpar
# sent_id = 1
1	Mary	Mary	PROPN	_	_	2	nsubj	_	Entity=(e1-person-1-)
2-3	doesn't	_	_	_	_	_	_	_	_
2	does	do	AUX	_	_	4	aux	_	_
3	n't	not	PART	_	_	4	advmod	_	_
4	know	know	VERB	_	_	0	root	_	_
5	the	the	DET	_	_	6	det	_	Entity=(e2-thing-2-
6	harbour	harbour	NOUN	_	_	4	obj	_	Entity=e2)|SpaceAfter=No
7	.	.	PUNCT	_	_	4	punct	_	_

# sent_id = 2
1	She	she	PRON	_	_	2	nsubj	_	Entity=(e1-person-1-)
2	sees	see	VERB	_	_	0	root	_	_
3	it	it	PRON	_	_	2	obj	_	Entity=(e2-thing-1-)
3.1	sees	see	VERB	_	_	_	_	_	_
4	and	and	CCONJ	_	_	5	cc	_	_
5	leaves	leave	VERB	_	_	2	conj	_	SpaceAfter=No
6	.	.	PUNCT	_	_	2	punct	_	_

# newdoc id = second
{GENERIC}
# sent_id = 3
1-2	Im	_	_	_	_	_	_	_	_
1	In	in	ADP	_	_	3	case	_	_
2	dem	der	DET	_	_	3	det	_	_
3	Haus	Haus	NOUN	_	_	4	obl	_	_
4	schlafen	schlafen	VERB	_	_	0	root	_	_
5	Kinder	Kind	NOUN	_	_	4	nsubj	_	SpaceAfter=No
6	.	.	PUNCT	_	_	4	punct	_	_

"""


def annotated(folder: Path) -> Corpus:
    """Texts with relations, choices between two names among them."""
    return write_texts(folder, {"made-up.conllu": WORDS, "gap.tsv": gap_file(8)})


NAMES = ("Ann Lee", "Beth", "Carol", "Dora", "Eve", "Fay")
GAP = "\t".join(
    ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL"]
)


def gap_file(snippets: int) -> str:
    """A file of GAP with so many snippets, which differ in all but their form."""
    return "\n".join([GAP, *map(_gap_row, range(snippets))]) + "\n"


def _gap_row(number: int) -> str:
    """A row of GAP; every fourth means neither name."""
    a, b = NAMES[number % 6], NAMES[(number + 1 + number % 4) % 6]
    text = f"{SENTENCES[number % 5]} {a} met {b} in the {('harbour', 'sea', 'land')[number % 3]} before she left."
    right = ("FALSE", "FALSE") if number % 4 == 3 else ("TRUE", "FALSE") if number % 3 else ("FALSE", "TRUE")
    places = [str(text.index(before) + len(before)) for before in ("before ", f"{SENTENCES[number % 5]} ", " met ")]
    return "\t".join([f"snippet-{number}", text, "she", places[0], a, places[1], right[0], b, places[2], right[1], "-"])
