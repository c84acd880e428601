"""Write a data set into a palace over HTTP, epoch by epoch.

The daemon is given wings, rooms, texts, vectors and entity links, and nothing else:
no data-set id, grade, category or query reaches it, so it cannot know what is judged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.daemon.client import DaemonClient, NewDrawer
from harness.daemon.timing import Instants
from harness.daemon.wire import CreatedDrawer
from harness.dataset.filler import FILLER_ROOM, FILLER_WING, filler_id, filler_texts
from harness.dataset.model import Dataset, Supersession
from harness.errors import (
    DaemonProtocolError,
    DatasetError,
    HarnessError,
    PrerequisiteError,
)
from harness.measure.epochs import EpochClock
from harness.measure.progress import Advance
from harness.measure.target import Target
from harness.report.model import Seeding

BATCH = 250
"""Drawers a request, each with its vector: about 2 MB of JSON."""
BATCH_CHARACTERS = 4_000_000
"""Text a request, whatever the number of drawers: daemons bound what they take."""


class VectorModel(Protocol):
    """Embeds texts, one row each."""

    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of *texts*, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One drawer to write, under the data set's own id, which stays here."""

    id: str
    wing: str
    room: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """What was written, and how to find it again."""

    document_of: Mapping[str, str]
    """Drawer id to data-set id, closed versions and filler included."""
    drawer_of: Mapping[str, str]
    """Data-set id to drawer id."""
    contents: Mapping[str, str]
    """Data-set id to the text that was written."""
    epoch_ends: tuple[str, ...]
    """The instant each epoch ended, epoch 0 first."""
    facts: Seeding


def seed(
    target: Target,
    dataset: Dataset,
    vectors: VectorModel,
    *,
    scale: int,
    advance: Advance,
) -> Seeded:
    """Write everything there is to search, in the order of the data set.

    Args:
        target: The daemon.
        dataset: What to write.
        vectors: Embeds every text that is written.
        scale: How many filler drawers to write beside the data set.
        advance: Told of every drawer and link written, see `steps_of`.

    Raises:
        DatasetError: A text is in its room already, so one drawer would stand for
            two documents.
        PrerequisiteError: A text was in a palace that was not empty.
        DaemonError: A write failed. What was written before it stays.
    """
    seeder = _Seeder(target, dataset, vectors, advance)
    seeder.write(
        Text(id=each.id, wing=each.wing, room=each.room, content=each.content)
        for each in dataset.documents
    )
    for mention in dataset.mentions:
        drawer_id = seeder.drawer_of[mention.doc]
        target.client.mention(drawer_id, name=mention.entity, kind=mention.kind)
        advance(1)
    seeder.write(
        Text(id=filler_id(n), wing=FILLER_WING, room=FILLER_ROOM, content=text)
        for n, text in enumerate(filler_texts(scale))
    )
    epoch_ends = tuple(seeder.run_epochs())
    written = len(seeder.document_of)
    method: Literal["batch", "single"] = "batch" if target.writes_batches else "single"
    return Seeded(
        document_of=seeder.document_of,
        drawer_of=seeder.drawer_of,
        contents=seeder.contents,
        epoch_ends=epoch_ends,
        facts=Seeding(
            documents=len(dataset.documents),
            filler=scale,
            corrections=len(dataset.supersessions),
            mentions=len(dataset.mentions),
            method=method,
            verified=0,
            documents_per_second=written / seeder.write_s if seeder.write_s else None,
            write_s=seeder.write_s,
        ),
    )


def steps_of(dataset: Dataset, scale: int) -> int:
    """Count what `seed` will advance by."""
    return len(dataset.document_ids) + len(dataset.mentions) + scale


def batched(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Cut *texts* into batches of bounded number and length, in order.

    A text longer than the bound goes alone.
    """
    batch: list[Text] = []
    characters = 0
    for text in texts:
        long = characters + len(text.content) > BATCH_CHARACTERS
        if batch and (long or len(batch) == BATCH):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text.content)
    if batch:
        yield batch


class _Seeder:
    """Keeps, while writing, which drawer stands for which document."""

    def __init__(
        self, target: Target, dataset: Dataset, vectors: VectorModel, advance: Advance
    ) -> None:
        self._client: DaemonClient = target.client
        self._target = target
        self._dataset = dataset
        self._vectors = vectors
        self._advance = advance
        self._clock = EpochClock(target.client, daemon_tells=target.tells_time)
        self.document_of: dict[str, str] = {}
        self.drawer_of: dict[str, str] = {}
        self.contents: dict[str, str] = {}
        self.write_s = 0.0

    def write(self, texts: Iterable[Text]) -> None:
        """Write new drawers with their vectors, in order."""
        for batch in batched(texts):
            rows = self._vectors.embed_all([text.content for text in batch])
            drawers = [
                NewDrawer(wing=t.wing, room=t.room, content=t.content, vector=row)
                for t, row in zip(batch, rows, strict=True)
            ]
            for text, created in zip(batch, self._store(drawers), strict=True):
                if not created.created:
                    raise self._repeated(text, created.id)
                self._register(text.id, created.id, text.content)
                self._clock.note(created.valid_from)
                self._advance(1)

    def _store(self, drawers: Sequence[NewDrawer]) -> Iterator[CreatedDrawer]:
        if self._target.writes_batches:
            many, instants = self._client.create_drawers(
                drawers, profile=self._target.profile
            )
            self._spend(instants)
            yield from many
            return
        for drawer in drawers:
            created, instants = self._client.create_drawer(drawer)
            self._spend(instants)
            # A drawer that was there already is a fault: it keeps what it had.
            if created.created and drawer.vector is not None:
                self._attach(created.id, drawer.vector)
            yield created

    def run_epochs(self) -> Iterator[str]:
        """Write the corrections epoch by epoch; yield the instant each epoch ends."""
        self._clock.pause()
        yield self._clock.end_epoch()
        for epoch in range(1, self._dataset.last_epoch + 1):
            self._clock.pause()
            for correction in self._dataset.supersessions:
                if correction.epoch == epoch:
                    self._correct(correction)
            self._clock.pause()
            yield self._clock.end_epoch()

    def _correct(self, correction: Supersession) -> None:
        replacement, instants = self._client.supersede(
            self.drawer_of[correction.doc], correction.content
        )
        self._spend(instants)
        self._attach(replacement.id, self._vectors.embed_all([correction.content])[0])
        self._register(correction.new_id, replacement.id, correction.content)
        self._clock.note(replacement.valid_from)
        self._advance(1)

    def _attach(self, drawer_id: str, vector: NDArray[np.float32]) -> None:
        self._spend(
            self._client.put_embedding(drawer_id, vector, profile=self._target.profile)
        )

    def _spend(self, instants: Instants) -> None:
        self.write_s += instants.service_s

    def _register(self, document: str, drawer_id: str, content: str) -> None:
        if drawer_id in self.document_of:
            raise DaemonProtocolError(
                f"the daemon gave {document!r} the id of "
                f"{self.document_of[drawer_id]!r} and calls it new.",
                where=self._client.url,
            )
        self.document_of[drawer_id] = document
        self.drawer_of[document] = drawer_id
        self.contents[document] = content

    def _repeated(self, text: Text, drawer_id: str) -> HarnessError:
        earlier = self.document_of.get(drawer_id)
        room = f"room {text.wing!r}/{text.room!r}"
        if earlier is None and not self._target.foreign:
            return DaemonProtocolError(
                f"the daemon says that {room} held the text of document {text.id!r} "
                f"before, in drawer {drawer_id!r}, and the palace was empty.",
                where=self._client.url,
                remedy="`created` is false only where a current drawer of that room "
                "has this very text.",
            )
        if earlier is None:
            return PrerequisiteError(
                f"{room} held the text of document {text.id!r} before, in a drawer "
                "with a time and links of its own.",
                where=self._client.url,
                remedy="Measure a palace that does not hold this data set already.",
            )
        if self.contents[earlier] != text.content:
            return DaemonProtocolError(
                f"the daemon keeps one drawer for the documents {earlier!r} and "
                f"{text.id!r} of {room}, whose texts differ.",
                where=self._client.url,
                remedy="`created` is false only for this very text.",
            )
        return DatasetError(
            f"document {text.id!r} repeats the text of document {earlier!r} in {room}, "
            "so the daemon keeps one drawer for both.",
            where=str(self._dataset.path),
            remedy="Give each document of a room a text of its own.",
        )
