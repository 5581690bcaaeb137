"""How to cite the program and the paper that it implements, as CITATION.cff says."""

from attn_core import __version__

PROGRAM = "attn-core: what attention heads make alike"
AUTHORS = "The attn-core maintainers"
PAPER = "Self-attention vector output similarities reveal how machines pay attention"
NAMES = ("Halevi", "Tzach", "Gross", "Rosner", "Kanter")
JOURNAL, VOLUME, YEAR = "Physica A: Statistical Mechanics and its Applications", 686, 2026
ADDRESS = "https://arxiv.org/abs/2512.21956"


def bibtex() -> str:
    """Two entries of BibTeX: this version of the program, and the paper."""
    return f"""@software{{attn_core,
  title   = {{{PROGRAM}}},
  author  = {{{{{AUTHORS}}}}},
  version = {{{__version__}}}
}}

@article{{halevi2026,
  title   = {{{PAPER}}},
  author  = {{{" and ".join(NAMES)}}},
  journal = {{{JOURNAL}}},
  volume  = {{{VOLUME}}},
  year    = {{{YEAR}}},
  url     = {{{ADDRESS}}}
}}"""
