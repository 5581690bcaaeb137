"""The subject of a study that is shown."""

from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.widgets.controls import one_of

WIDTH = 420  # pixels of a chooser


def choose_subject(study: Study, key: str) -> SubjectTables:
    """The subject that is chosen; by itself the first model, or the last step of the first training. key: of the widget."""
    by_label = {subject.label: subject for subject in study.subjects}
    usual = [label for label, subject in by_label.items() if subject.name == study.own[0].name][-1]
    label = usual if len(by_label) == 1 else one_of("Subject", list(by_label), key, usual, width=WIDTH)
    return study.of(by_label[label].name, by_label[label].step)
