"""Ask one engine for its images, and give it new ones, by digest.

An id is believed because the engine computes it from the content; what was just loaded
or pulled is asked for again, and taken out when it is not what it should be.
"""

import contextlib
import tarfile
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import cast

import docker.errors
from docker.models.containers import Container

from harness.errors import PrerequisiteError
from harness.runtime.engine import Engine, EngineError, engine_faults
from harness.runtime.images.archive import Entry, Image, Layer, archive_chunks

COMPILE_TIMEOUT_S = 300

IMAGE_LABEL = "memory-harness.image"
"""Every image built by the harness has it, with the image's name as value."""

REFUSALS = (
    "verification failed",
    "digest mismatch",
    "does not match",
    "unexpected eof",
)
"""Words by which engines say that what a registry sent is not what was asked for."""


class DigestError(PrerequisiteError):
    """An image is not the one that its digest promises. Never fall back after this."""


class Store:
    """The images of one engine; a context manager that closes the connection."""

    def __init__(self, engine: Engine, labels: Mapping[str, str] | None = None) -> None:
        self.engine = engine
        self._labels = dict(labels or {})
        self._client = engine.client()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def find(self, *names: str) -> str | None:
        """Give the id of the first of *names* (ids or references) that is here."""
        with self._faults("looking for an image"):
            for name in names:
                with contextlib.suppress(docker.errors.ImageNotFound):
                    return str(self._client.images.get(name).id)
        return None

    def load(self, image: Image) -> str:
        """Load *image*, and give the id by which the engine knows it.

        Raises:
            DigestError: The engine made another image of it.
        """
        with self._faults(f"loading {image.reference}"):
            self._client.api.load_image(archive_chunks(image))  # type: ignore[no-untyped-call] # the stubs leave it bare
        found = self.find(image.reference)
        if found not in {image.id, image.manifest_digest}:
            if found is not None:
                self.remove(image.reference)
            raise DigestError(
                f"the engine calls the image {found!r} after loading it, "
                f"instead of {image.id!r}.",
                where=image.reference,
                remedy="Remove .cache/images and start again.",
            )
        return found

    def pull(self, reference: str) -> str | None:
        """Pull `name@sha256:...` and give its id; none where it cannot be had there.

        Raises:
            DigestError: The registry sent something else under that digest.
            EngineError: The engine itself failed.
        """
        try:
            with self._faults(f"pulling {reference}"):
                told = self._client.api.pull(reference, stream=True, decode=True)
                # A failure in the midst of a pull is a line of the answer.
                fault = next((line["error"] for line in told if "error" in line), "")
        except docker.errors.NotFound:
            return None
        except EngineError as error:
            if error.trouble not in {"broken"}:
                raise
            fault = error.what
        if any(word in fault.lower() for word in REFUSALS):
            raise DigestError(
                f"what the registry sent is not what the digest says: {fault}.",
                where=reference,
                remedy="Do not use that registry before somebody looked into it.",
            )
        if fault:
            return None
        return self.find(reference)

    def remove(self, name: str) -> None:
        """Take an image out; one that is gone already, or still in use, is left so."""
        with (
            self._faults("removing an image"),
            contextlib.suppress(docker.errors.ImageNotFound),
        ):
            try:
                self._client.images.remove(name)
            except docker.errors.APIError as error:
                if error.status_code != 409:
                    raise

    def remove_built(self, *, keep: Collection[str] = ()) -> int:
        """Take out every image the harness built but those whose ids are in *keep*.

        What a container uses stays. Give how many went.
        """
        with self._faults("listing images"):
            found = self._client.images.list(filters={"label": IMAGE_LABEL})
        before = [str(image.id) for image in found if image.id not in keep]
        for image in found:
            if image.id not in keep:
                for name in image.tags or [str(image.id)]:
                    self.remove(name)
        return sum(self.find(name) is None for name in before)

    def run_on(
        self, image: Image, layer: Layer, command: Sequence[str], folder: str
    ) -> list[Entry]:
        """Run *command* in *image* with *layer* on top; give all files below *folder*.

        The container has no network. It and the image are gone afterwards.

        Raises:
            PrerequisiteError: The command failed.
        """
        present = self.find(image.id, image.manifest_digest)
        found = present or self.load(image)
        try:
            with self._container(found, command) as container:
                return list(_files(container, layer, folder))
        finally:
            if present is None:
                self.remove(image.reference)

    @contextmanager
    def _container(self, image: str, command: Sequence[str]) -> Iterator[Container]:
        with self._faults("running a step of a build"):
            container = self._client.containers.create(
                image,
                list(command[1:]),
                entrypoint=[command[0]],
                environment={"PYTHONHASHSEED": "0"},
                labels=self._labels,
                network_mode="none",
                user="0:0",
            )
            try:
                yield container
            finally:
                container.remove(force=True, v=True)

    @contextmanager
    def _faults(self, doing: str) -> Iterator[None]:
        with engine_faults(self.engine.endpoint, doing):
            yield


def _files(container: Container, layer: Layer, folder: str) -> Iterator[Entry]:
    with layer.path.open("rb") as stream:
        container.put_archive("/", cast(bytes, stream))
    container.start()
    code = container.wait(timeout=COMPILE_TIMEOUT_S)["StatusCode"]
    if code != 0:
        log = container.logs(tail=20).decode(errors="replace")
        raise PrerequisiteError(f"a step of a build ended with code {code}: {log}")
    chunks, _ = container.get_archive(folder)
    above = PurePosixPath(folder).parent
    with tempfile.TemporaryFile() as copy:
        copy.writelines(chunks)
        copy.seek(0)
        with tarfile.open(fileobj=copy) as tar:
            for member in tar:
                data = tar.extractfile(member) if member.isreg() else None
                if data is not None:
                    yield Entry(above / member.name, data.read(), member.mode & 0o777)
