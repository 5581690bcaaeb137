"""Small corpora and models, as of studies."""

from tests.study.conftest import corpus_folder as corpus_folder
from tests.study.conftest import small as small
from tests.study.conftest import tiny as tiny
