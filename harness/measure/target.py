"""Meet a daemon: what it speaks, which vector space to use, and whether it is empty."""

from dataclasses import dataclass

from harness.daemon.client import DaemonClient
from harness.daemon.wire import (
    FEATURE_BATCH,
    FEATURE_INDEX_JOB,
    Config,
    Counts,
    Profile,
    Status,
)
from harness.errors import PrerequisiteError


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A daemon that can be measured, as it was before anything was written."""

    client: DaemonClient
    status: Status | None
    """What it says of itself; ``None`` where it lacks the route."""
    config: Config | None
    profile: str | None
    """The vector profile to name in every call; ``None`` where it has no profiles."""
    counts: Counts | None
    """What it held before seeding, where it counts as the contract says."""
    foreign: int
    """Drawers it held already, or wings where it does not count drawers."""

    @property
    def features(self) -> frozenset[str]:
        """What the daemon announces; empty for one that announces nothing."""
        return frozenset((self.status and self.status.features) or ())

    @property
    def writes_batches(self) -> bool:
        """Whether many drawers can be written in one request."""
        return FEATURE_BATCH in self.features

    @property
    def indexes_on_demand(self) -> bool:
        """Whether a job can be asked to bring the vector index up to date."""
        return FEATURE_INDEX_JOB in self.features

    @property
    def tells_time(self) -> bool:
        """Whether the clock that stamps validity can be read."""
        return self.status is not None and self.status.now is not None


def meet(
    client: DaemonClient, *, dimension: int | None, allow_nonempty: bool
) -> Target:
    """Ask a daemon what it is, and refuse one whose numbers could not be trusted.

    Args:
        client: The daemon.
        dimension: Length of the vectors that will be attached; ``None`` where the
            daemon embeds everything itself.
        allow_nonempty: Whether to go on although it holds somebody's drawers.

    Raises:
        PrerequisiteError: It holds drawers and that is not allowed, or none of its
            vector profiles takes vectors of that length from a caller.
        DaemonError: It does not answer as the contract says.
    """
    status = client.status()
    config = client.config()
    counts = _contract_counts(status)
    counted = counts.drawers if counts else None
    target = Target(
        client=client,
        status=status,
        config=config,
        profile=_choose_profile(config, dimension, where=client.url),
        counts=counts,
        foreign=client.count_wings() if counted is None else counted,
    )
    if target.foreign and not allow_nonempty:
        kind = "wings" if counted is None else "drawers"
        raise PrerequisiteError(
            f"the palace is not empty: it holds {target.foreign} {kind}, which would "
            f"compete with what is measured.",
            where=client.url,
            remedy="Measure a fresh palace, or allow it with --allow-nonempty.",
        )
    return target


def _contract_counts(status: Status | None) -> Counts | None:
    """Take counts only from a daemon that announces what it speaks.

    MemCastle's status has counts of its own, which mean something else.
    """
    return status.counts if status and status.features is not None else None


def _choose_profile(
    config: Config | None, dimension: int | None, *, where: str
) -> str | None:
    """Choose the external profile for vectors of that length, the default first."""
    if dimension is None or config is None or not config.profiles:
        return None
    usable = [profile for profile in config.profiles if _takes(profile, dimension)]
    if not usable:
        found = ", ".join(_described(profile) for profile in config.profiles)
        raise PrerequisiteError(
            f"no vector profile takes {dimension} numbers from a caller and compares "
            f"them by cosine; the daemon has {found}.",
            where=where,
            remedy=f"Configure an external cosine profile of dimension {dimension}.",
        )
    return max(usable, key=lambda profile: profile.default).name


def _takes(profile: Profile, dimension: int) -> bool:
    return (
        profile.external
        and profile.dimension == dimension
        and profile.metric == "cosine"
    )


def _described(profile: Profile) -> str:
    kind = "external" if profile.external else "the daemon's own"
    return f"{profile.name!r} ({profile.dimension}, {profile.metric}, {kind})"
