"""Where torch and transformers are imported: here, and nowhere else in the project.

If two threads import transformers at once, each may wait for a module that the other is importing; Python then lets
one continue with a module that is not complete. Here the first thread imports everything, including what transformers
would import later, and other threads wait for this one module. Nothing imported here imports from the project.
"""

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from transformers import (
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    AttentionInterface,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    initialization,
)
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.utils import logging as transformers_logging
