"""Where does a text change its topic? Segments of sentences, from what heads make of them.

    Document --sentences--> SentenceOutputs --methods--> Segmentation --segments.segment_table--> table
                                  |  ^ head_choice: HeadChoice            |
                                  v                                       v
              vectors -> partition, number, peaks         scores (against gold boundaries)

`SentenceOutputs` runs the model when it is first asked, which takes its time; `segment` takes milliseconds then.

    >>> segmentation = segment("partition", SentenceOutputs(model, document))
    >>> segment_table(document, [segmentation])
"""

from attn_core.segmentation.head_choice import HeadChoice, head_power, usual_heads
from attn_core.segmentation.methods import METHODS, Method, by_name
from attn_core.segmentation.scores import Scores, score
from attn_core.segmentation.segments import Segmentation, paragraph_ends, segment, segment_spans, segment_table
from attn_core.segmentation.sentences import SentenceOutputs

__all__ = [
    "METHODS", "HeadChoice", "Method", "Scores", "Segmentation", "SentenceOutputs", "by_name", "head_power",
    "paragraph_ends", "score", "segment", "segment_spans", "segment_table", "usual_heads",
]  # fmt: skip
