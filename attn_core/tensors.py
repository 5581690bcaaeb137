"""Where torch and transformers are imported: here, and nowhere else in the project.

Two threads that import transformers at once may each wait for a module that the other has begun; Python then lets one
go on with a half-made module. Here the first thread imports everything, also what transformers imports later, and the
others wait at this one module. Nothing that is imported here imports from the project.
"""

import torch
import transformers
from torch import Tensor, nn
from transformers import (
    AttentionInterface,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
)
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions
from transformers.utils import logging as transformers_logging
