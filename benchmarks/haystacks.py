"""A data file with the shape of LongMemEval's S: as many questions, as much text.

Nothing in it is a sentence of anybody. Words are drawn as often as words of a language
are, about each question some sessions are planted that hold its answer, and others that
mention half of what it asks, so that ranking is neither trivial nor hopeless. The same
seed gives the same bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

QUESTIONS = 500
SEED = 20260105

TYPES = (
    ("single-session-user", 70),
    ("single-session-assistant", 56),
    ("single-session-preference", 30),
    ("multi-session", 133),
    ("temporal-reasoning", 133),
    ("knowledge-update", 78),
)
"""Question types of S and how many questions are of each."""
GOLD_SESSIONS = ((1, 187), (2, 228), (3, 30), (4, 16), (5, 6), (6, 3))
"""Evidence sessions, and how many questions of S have as many."""
ABSTENTION_SHARE = 30 / 500
SESSIONS = (40, 56)
"""Of a haystack; S has 48 on average."""
TURNS = (4, 19)
"""Of a session, before it is made even: user and assistant take turns."""
USER_WORDS, ASSISTANT_WORDS = 50, 185
"""Mean lengths; log-normal around them, as chats are."""

VOCABULARY = 30_000
_FUNCTION_WORDS = (
    "the of and to a in is it you that for on with as i this be are have or my was "
    "can not but at from your an if by will one so what all there about which when "
    "more like some do would they time up how has out use could them make also just "
    "any other been their than get me we who want need know good day new way"
)
_ONSETS = ("b", "ch", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "st", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "n", "r", "s", "t", "l", "m", "nd", "rk")

Json = Any  # what a JSON file may hold; nothing here is read back
Ids = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Words:
    """A vocabulary, the most frequent word first."""

    words: tuple[str, ...]
    cumulative: np.ndarray[Any, np.dtype[np.float64]]

    def drawn(self, rng: np.random.Generator, count: int) -> list[str]:
        """Draw *count* words, each as often as its rank says."""
        places = np.searchsorted(self.cumulative, rng.random(count))
        return [self.words[place] for place in places.tolist()]

    def rare(self, rng: np.random.Generator, count: int) -> list[str]:
        """Draw words of the rarer half, which stand for names and topics."""
        half = len(self.words) // 2
        places = rng.choice(half, count, replace=False) + half
        return [self.words[place] for place in places.tolist()]


def vocabulary(rng: np.random.Generator, size: int = VOCABULARY) -> Words:
    """Make up words; their frequencies fall as Zipf found them to."""
    made: dict[str, None] = dict.fromkeys(_FUNCTION_WORDS.split())
    while len(made) < size:
        syllables = int(rng.integers(2, 5))
        parts = [
            _ONSETS[rng.integers(len(_ONSETS))]
            + _VOWELS[rng.integers(len(_VOWELS))]
            + _CODAS[rng.integers(len(_CODAS))]
            for _ in range(syllables)
        ]
        made.setdefault("".join(parts))
    weights = 1 / (np.arange(size) + 2.7)
    cumulative = np.cumsum(weights) / weights.sum()
    cumulative[-1] = 1.0
    return Words(tuple(made), cumulative)


def write_haystacks(
    path: Path, questions: int = QUESTIONS, *, seed: int = SEED, scale: float = 1.0
) -> int:
    """Write a file of *questions* questions; return how many bytes it has.

    Args:
        path: Where to.
        questions: How many; with 500 and a scale of 1 it has about 260 MB.
        seed: Everything in it follows from this number.
        scale: Length of turns as a share of those of S.
    """
    with path.open("wb") as file:
        for index, entry in enumerate(entries(questions, seed=seed, scale=scale)):
            file.write(b",\n" if index else b"[")
            file.write(orjson.dumps(entry))
        file.write(b"]\n")
        return file.tell()


def entries(questions: int, *, seed: int = SEED, scale: float = 1.0) -> Iterator[Json]:
    """Yield questions as the file has them, one in memory at a time."""
    words = vocabulary(np.random.default_rng(seed))
    for index in range(questions):
        # A generator of its own, so that a shorter file is the start of a longer one.
        yield _Entry(words, np.random.default_rng([seed, index]), scale).made(index)


@dataclass(frozen=True)
class _Entry:
    """One question in the making."""

    words: Words
    rng: np.random.Generator
    scale: float

    def made(self, index: int) -> Json:
        rng = self.rng
        kind = _one_of(rng, TYPES)
        is_abstention = rng.random() < ABSTENTION_SHARE
        gold = 1 if kind.startswith("single") else max(_one_of(rng, GOLD_SESSIONS), 2)
        topic = self.words.rare(rng, 5)
        count = int(rng.integers(SESSIONS[0], SESSIONS[1] + 1))
        roles = ["gold"] * gold + ["near"] * 6 + ["far"] * (count - gold - 6)
        rng.shuffle(roles)
        says = "assistant" if kind == "single-session-assistant" else "user"
        sessions = [self._session(role, topic, says) for role in roles]
        prefix = f"answer_{index:08x}"
        ids = [
            f"{prefix}_{place}" if role == "gold" else f"{index:08x}_{place}"
            for place, role in enumerate(roles)
        ]
        filler = self.words.drawn(rng, 6)
        return {
            "question_id": f"{index:08x}{'_abs' if is_abstention else ''}",
            "question_type": kind,
            "question": f"What did I say of {' '.join(topic)} {' '.join(filler)}?",
            "answer": self.words.words[100 + index % 1000],
            "question_date": "2023/07/01 (Sat) 10:00",
            "haystack_dates": [_date(place) for place in range(count)],
            "haystack_session_ids": ids,
            "haystack_sessions": sessions,
            "answer_session_ids": [each for each in ids if each.startswith(prefix)],
        }

    def _session(self, role: str, topic: list[str], says: str) -> Json:
        turns = int(self.rng.integers(*TURNS)) // 2 * 2
        session = [
            self._turn("assistant" if place % 2 else "user") for place in range(turns)
        ]
        if role == "far":
            return session
        # Half of the topic in a session that only touches it, most of it in evidence.
        known = topic[: 2 if role == "near" else int(self.rng.integers(2, 5))]
        sides = [turn for turn in session if turn["role"] == says]
        told = sides[int(self.rng.integers(len(sides)))]
        told["content"] = f"{told['content']} {' '.join(known)}"
        if role == "gold":
            for turn in session:
                turn["has_answer"] = turn is told
        return session

    def _turn(self, role: str) -> Json:
        mean = (USER_WORDS if role == "user" else ASSISTANT_WORDS) * self.scale
        count = max(3, int(mean * self.rng.lognormal(-0.25, 0.7)))
        return {"role": role, "content": " ".join(self.words.drawn(self.rng, count))}


def _one_of(rng: np.random.Generator, weighted: tuple[tuple[Any, int], ...]) -> Any:
    weights = np.array([weight for _, weight in weighted], float)
    return weighted[int(rng.choice(len(weighted), p=weights / weights.sum()))][0]


def _date(place: int) -> str:
    month, day = divmod(place, 28)
    return f"2023/{month + 4:02}/{day + 1:02} 09:{place:02}"
