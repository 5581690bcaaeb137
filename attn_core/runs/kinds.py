"""The kinds of runs, and which program counts each."""

from dataclasses import dataclass

from attn_core.io.code_digest import counting_digest


@dataclass(frozen=True)
class Kind:
    """A kind of run. counting: the modules with which a worker counts; what they import counts as well.

    What is made of the counts may change without counting anew.
    """

    name: str
    counting: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Of the program that counts."""
        return counting_digest(self.counting)


_STUDY = ("study.worker", "study.corpus", "study.plan")
KINDS = {
    kind.name: kind
    for kind in (
        Kind("study", _STUDY),
        Kind("patterns", ("patterns.worker", "patterns.files", "patterns.ruled")),
        Kind("ablation", ("interventions.worker", "interventions.units")),
        Kind("reproduction", ("reproduction.worker",)),
        Kind("series", _STUDY),
    )
}
