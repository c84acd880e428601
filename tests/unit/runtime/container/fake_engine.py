"""An engine that holds objects in lists, and can be slow or stubborn."""

from collections.abc import Callable
from typing import Any, cast

import docker
import docker.errors
import requests


class FakeEngine:
    """What a sweep asks of an engine's client.

    Args:
        containers: Id to labels.
        networks: Id to labels.
        volumes: Name to labels.
    """

    def __init__(
        self,
        containers: dict[str, dict[str, str]],
        networks: dict[str, dict[str, str]] | None = None,
        volumes: dict[str, dict[str, str]] | None = None,
    ) -> None:
        self.there = {
            "container": dict(containers),
            "network": dict(networks or {}),
            "volume": dict(volumes or {}),
        }
        self.log: list[str] = []
        self.before_listing: Callable[[], None] = lambda: None
        self.refusals: list[int] = []
        self.api = self

    @property
    def client(self) -> docker.DockerClient:
        """The fake, as what it stands in for."""
        return cast(docker.DockerClient, self)

    def containers(self, *, all: bool, filters: dict[str, Any]) -> list[Any]:  # noqa: A002 - the client's own name
        """List containers, the stopped ones only with *all*."""
        assert all
        self.before_listing()
        return self._listed("container", "Id", filters)

    def networks(self, *, filters: dict[str, Any]) -> list[Any]:
        """List networks."""
        return self._listed("network", "Id", filters)

    def volumes(self, *, filters: dict[str, Any]) -> dict[str, Any]:
        """List volumes; an engine without any answers null."""
        return {"Volumes": self._listed("volume", "Name", filters) or None}

    def remove_container(self, id: str, *, force: bool, v: bool) -> None:  # noqa: A002 - as above
        """Remove a container with its anonymous volumes, running or not."""
        assert force
        assert v
        self._remove("container", id)

    def remove_network(self, id: str) -> None:  # noqa: A002 - as above
        """Remove a network."""
        self._remove("network", id)

    def remove_volume(self, name: str, *, force: bool) -> None:
        """Remove a volume."""
        assert force
        self._remove("volume", name)

    def _listed(self, kind: str, key: str, filters: dict[str, Any]) -> list[Any]:
        (wanted,) = filters["label"]
        name, _, value = wanted.partition("=")
        return [
            {key: id_, "Labels": labels}
            for id_, labels in self.there[kind].items()
            if name in labels and (not value or labels[name] == value)
        ]

    def _remove(self, kind: str, id_: str) -> None:
        if self.refusals:
            raise self._error(self.refusals.pop(0))
        if id_ not in self.there[kind]:
            raise self._error(404)
        del self.there[kind][id_]
        self.log.append(f"{kind} {id_}")

    @staticmethod
    def _error(status: int) -> docker.errors.APIError:
        response = requests.Response()
        response.status_code = status
        return docker.errors.APIError("no", response, f"refused with {status}")
