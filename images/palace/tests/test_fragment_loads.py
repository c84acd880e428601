"""Loading many fragments at once is the same as adding them one by one, only faster."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest

from palace.documents.index import FragmentFacts, FragmentIndex
from palace.lexical.postings import Postings

WORDS = ["cat", "dog", "tea", "car", "kettle", "river"]

Fragment = tuple[int, str, str, FragmentFacts]


def drawn(seed: int, count: int) -> list[Fragment]:
    dice = random.Random(seed)
    return [
        (
            3 * number + 1,
            dice.choice("ab"),
            dice.choice("rs"),
            FragmentFacts(" ".join(dice.choices(WORDS, k=4)), dice.random() < 0.5),
        )
        for number in range(count)
    ]


def added(fragments: Iterable[Fragment]) -> FragmentIndex:
    index = FragmentIndex()
    for fragment in fragments:
        index.add(*fragment)
    return index


def seen(index: FragmentIndex) -> list[object]:
    found: list[object] = [len(index), index.n_embedded]
    for wing in ("a", "b", None):
        for room in ("r", None):
            scope = index.scope(wing, room)
            found.append(scope.tolist())
            found.append(index.embedded(scope).tolist())
            for word in WORDS:
                found.append(index.rank_document(word, scope).tolist())
                found.append(index.rank_search(word, scope).tolist())
    return found


def test_a_load_is_the_same_as_adding_one_by_one() -> None:
    fragments = drawn(5, 60)
    index = added(fragments[:10])
    seen(index)
    index.extend(fragments[10:40])
    index.extend([])
    index.remove(fragments[3][0])
    index.extend(fragments[40:])

    wanted = added(fragments)
    wanted.remove(fragments[3][0])
    assert seen(index) == seen(wanted)


def test_what_comes_before_a_wrong_number_is_in() -> None:
    fragments = drawn(6, 6)
    index = FragmentIndex()

    with pytest.raises(ValueError, match="fragment 4 comes after 7"):
        index.extend([*fragments[:3], fragments[1], *fragments[3:]])

    assert seen(index) == seen(added(fragments[:3]))


def test_postings_may_be_appended_to_and_read_in_any_turn() -> None:
    postings = Postings()
    postings.append(1, 2, 9)
    postings.append(4, 1, 7)
    assert (len(postings), postings.live) == (2, 2)
    assert postings.rows.tolist() == [1, 4]
    postings.append(5, 3, 8)
    postings.extend(np.array([[7, 8], [1, 1], [6, 5]], np.int32))
    postings.append(9, 1, 4)

    assert len(postings) == 6
    assert postings.rows.tolist() == [1, 4, 5, 7, 8, 9]
    assert postings.counts.tolist() == [2, 1, 3, 1, 1, 1]
    assert postings.lengths.tolist() == [9, 7, 8, 6, 5, 4]
    assert (postings.highest_count, postings.shortest_length) == (3, 4)


def test_purged_postings_forget_what_was_just_appended_too() -> None:
    postings = Postings()
    for row in range(4):
        postings.append(row, 1, 1)

    postings.purge(np.array([True, False, True, False]))

    assert postings.rows.tolist() == [0, 2]
