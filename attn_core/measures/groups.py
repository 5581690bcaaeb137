"""What does one head join? Its strong pairs in groups, by the tokens that they touch and by their direction.

A pair is a point of two halves that weigh alike, each of length 1: where its two head outputs point together, after the
window's mean is taken off each and both are brought to length 1; and which tokens it touches. k-means (scikit-learn) on
these points; the number of groups is the one of 2 to 6 with the largest mean silhouette. The method is ours.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.head import Head
from attn_core.measures.clusters import by_size
from attn_core.measures.examples import Pair
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.strong_pairs import StrongPairs

MOST = 500  # pairs that are grouped, evenly spaced where there are more
FEWEST = 30  # pairs that can be grouped
NUMBERS = range(2, 7)
DRAWS = 10
STARTS = 2  # of k-means, of which the best is taken


@dataclass(frozen=True, eq=False)
class PairGroups:
    """n strong pairs of a head in groups.

    pairs: where each stands. labels: (n,), 1 for the largest group on. closeness: (n,), how far each is from the middle of
    its group, negative. silhouette: the mean. stability: adjusted Rand index with the groups of pairs that were drawn again
    with replacement, mean of the draws; 1: the same groups, 0: no more alike than by chance.
    """

    pairs: tuple[Pair, ...]
    labels: np.ndarray
    closeness: np.ndarray
    silhouette: float
    stability: float

    def share(self, group: int) -> float:
        """The share of the pairs that are in a group."""
        return float((self.labels == group).mean())

    def tokens(self, group: int) -> list[tuple[str, float]]:
        """The three tokens that most pairs of a group touch, each with the share that do."""
        inside = [pair for pair, label in zip(self.pairs, self.labels, strict=True) if label == group]
        touched = Counter(token for passage, *ends in inside for token in {passage.tokens[end] for end in ends})
        return [(token, count / len(inside)) for token, count in touched.most_common(3)]

    def examples(self, group: int) -> list[Pair]:
        """The two pairs nearest to the middle of a group, each of other tokens where there are such."""
        inside = np.flatnonzero(self.labels == group)
        ordered = [self.pairs[at] for at in inside[np.argsort(-self.closeness[inside], kind="stable")]]
        new: dict[tuple[str, ...], Pair] = {}
        for passage, first, second in ordered:
            new.setdefault(tuple(sorted((passage.tokens[first], passage.tokens[second]))), (passage, first, second))
        return list(new.values())[:2]


def group_pairs(windows: Sequence[StrongPairs], outputs: Sequence[np.ndarray], head: Head) -> PairGroups | None:
    """The strong pairs of a head in groups; None where there are too few. outputs: of each window the head's z, (N, d)."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score
    from threadpoolctl import threadpool_limits

    at = [(window, rank) for window in range(len(windows)) for rank in range(windows[window].shape[2])]
    if len(at) < FEWEST:
        return None
    chosen = [at[k] for k in np.unique(np.linspace(0, len(at) - 1, min(len(at), MOST)).round().astype(int))]
    pairs = tuple(
        (windows[n].passage, int(windows[n].first[head][rank]), int(windows[n].second[head][rank]))
        for n, rank in chosen
    )
    points = np.hstack([_directions(windows, outputs, pairs), _tokens(pairs)]) / np.sqrt(2)
    distinct = len(np.unique(points, axis=0))
    if distinct <= NUMBERS[0]:
        return None
    distances, clusterings = pairwise_distances(points), {}
    with threadpool_limits(1, "openmp"):  # so few points: threads wait for each other three times as long
        for number in (some for some in NUMBERS if some < distinct):
            model = KMeans(number, n_init=STARTS, random_state=0).fit(points)
            clusterings[number] = silhouette_score(distances, model.labels_, metric="precomputed"), model
        number = max(clusterings, key=lambda size: clusterings[size][0])
        silhouette, model = clusterings[number]
        rng = np.random.default_rng(0)
        again = []
        for draw in range(DRAWS):
            drawn = points[rng.integers(len(points), size=len(points))]
            other = KMeans(number, n_init=STARTS, random_state=draw).fit(drawn).predict(points)
            again.append(adjusted_rand_score(model.labels_, other))
    closeness = -model.transform(points)[np.arange(len(points)), model.labels_]
    return PairGroups(pairs, by_size(model.labels_), closeness, float(silhouette), float(np.mean(again)))


def _directions(windows: Sequence[StrongPairs], outputs: Sequence[np.ndarray], pairs: Sequence[Pair]) -> np.ndarray:
    """Where the two outputs of each pair point together, (n, d), at length 1; zeros where there is no direction."""
    own = {id(window.passage): as_measured(z, "centred") for window, z in zip(windows, outputs, strict=True)}
    together = [own[id(passage)][first] + own[id(passage)][second] for passage, first, second in pairs]
    return as_measured(np.stack(together), "cosine")


def _tokens(pairs: Sequence[Pair]) -> np.ndarray:
    """Which tokens each pair touches, (n, V), at length 1."""
    ids = np.array([passage.token_ids[[first, second]] for passage, first, second in pairs])
    known, columns = np.unique(ids, return_inverse=True)
    touched = np.zeros((len(pairs), len(known)))
    touched[np.arange(len(pairs))[:, None], columns.reshape(ids.shape)] = 1.0
    return as_measured(touched, "cosine")
