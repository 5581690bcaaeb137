"""Segments of sentences between changes of topic, from head outputs, sentence embeddings or separators.

    Document --sentences--> SentenceOutputs --methods--> boundaries --segments--> table
                                                                        |
                                                                        v
                                                             scores (against gold boundaries)

`SentenceOutputs` runs the model on first access to a value. After that, `segment` takes milliseconds.

    >>> boundaries = segment("partition", SentenceOutputs(model, document))
    >>> segment_table(document, {"partition": boundaries})
"""

from attn_core.segmentation.evaluation import Scores, score
from attn_core.segmentation.methods import METHODS, Method
from attn_core.segmentation.segments import segment, segment_spans, segment_table
from attn_core.segmentation.sentences import SentenceOutputs

__all__ = [
    "METHODS", "Method", "Scores", "SentenceOutputs", "score", "segment", "segment_spans", "segment_table",
]  # fmt: skip
