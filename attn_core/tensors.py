"""Where torch and transformers are imported: here, and nowhere else in the project.

If two threads import transformers at once, each may wait for a module that the other is importing; Python then lets
one continue with a module that is not complete. Here the first thread imports everything, including what transformers
would import later, and other threads wait for this one module. Nothing imported here imports from the project.
"""

import torch
import transformers
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from transformers import (
    AttentionInterface,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
    initialization,
)
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions
from transformers.utils import logging as transformers_logging
