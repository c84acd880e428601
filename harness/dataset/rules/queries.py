"""Rules on queries: each must have an answer that a right daemon can return."""

from harness.dataset.configurations import CONFIGURATIONS
from harness.dataset.model import AsOfEpoch, BetweenEpochs, Dataset, Judgment, Query
from harness.dataset.place import Place, nearest, shown
from harness.dataset.rules.strings import check_label, check_text

LARGEST_GRADE = 31
"""The gain of a grade is 2^grade - 1, which beyond 31 overflows the 32 bits that
MemCastle computes it in: a file must mean the same to both."""


def check_queries(dataset: Dataset, place: Place) -> None:
    """Refuse queries that no metric is defined for, or that cannot be answered."""
    known = set(dataset.document_ids)
    first_of_id: dict[str, int] = {}
    for index, query in enumerate(dataset.queries):
        here = place.at(index)
        check_label(query.id, here.at("id"))
        earlier = first_of_id.setdefault(query.id, index)
        if earlier != index:
            raise here.at("id").refuse(
                f"{shown(query.id)} is the id of {place.at(earlier).path} too.",
                "Give every query an id of its own.",
            )
        check_label(query.category, here.at("category"))
        check_text(query.text, here.at("text"))
        _check_judgments(query, known, here.at("relevant"))
        _check_time(query, dataset.last_epoch, here.at("temporal"))
        _check_configurations(query, here.at("runs"))
        _check_reach(query, dataset, here.at("relevant"))


def _check_judgments(query: Query, known: set[str], place: Place) -> None:
    if not query.relevant:
        raise place.refuse(
            f"query {shown(query.id)} has no relevant documents, so no metric is "
            "defined for it.",
            "Judge at least one document, or drop the query.",
        )
    seen: set[str] = set()
    for index, judgment in enumerate(query.relevant):
        here = place.at(index)
        if judgment.doc not in known:
            raise here.at("doc").refuse(
                f"{shown(judgment.doc)}, judged for query {shown(query.id)}, is not a "
                "document of this data set.",
                f"{nearest(judgment.doc, known)}Judge a document or a correction.",
            )
        _check_grade(query, judgment, here.at("grade"))
        if judgment.doc in seen:
            raise here.at("doc").refuse(
                f"{shown(judgment.doc)} is judged twice in query {shown(query.id)}.",
                "Keep one of the two judgments.",
            )
        seen.add(judgment.doc)


def _check_grade(query: Query, judgment: Judgment, place: Place) -> None:
    if judgment.grade == 0:
        raise place.refuse(
            f"found 0 for {shown(judgment.doc)} in query {shown(query.id)}: only "
            "relevant documents are listed.",
            "Leave the entry out; unlisted documents count as 0.",
        )
    if judgment.grade > LARGEST_GRADE:
        raise place.refuse(
            f"found {judgment.grade} for {shown(judgment.doc)} in query "
            f"{shown(query.id)}, wanted at most {LARGEST_GRADE}.",
            "Use 2 for an answer and 1 for a related document; the gain of a grade "
            "doubles with every step.",
        )


def _check_time(query: Query, last: int, place: Place) -> None:
    match query.temporal:
        case AsOfEpoch(epoch) if epoch > last:
            raise place.at("as_of_epoch").refuse(
                f"query {shown(query.id)} asks about epoch {epoch}, and the last one "
                f"is {last}.",
                f"Ask about an epoch from 0 to {last}.",
            )
        case BetweenEpochs(start, end) if start >= end:
            raise place.at("between_epochs").refuse(
                f"query {shown(query.id)} asks about [{start}, {end}], which is empty.",
                "Write the earlier epoch first; for one moment use as_of_epoch.",
            )
        case BetweenEpochs(start, end) if end > last:
            raise place.at("between_epochs").refuse(
                f"query {shown(query.id)} asks about [{start}, {end}], and the last "
                f"epoch is {last}.",
                f"End it at {last} at the latest.",
            )


def _check_configurations(query: Query, place: Place) -> None:
    if query.configurations is None:
        return
    if not query.configurations:
        raise place.refuse(
            f"query {shown(query.id)} names no configuration, so it is never asked.",
            "Leave `runs` out for the usual ones, or name some.",
        )
    known = [each.name for each in CONFIGURATIONS]
    for index, name in enumerate(query.configurations):
        if name not in known:
            raise place.at(index).refuse(
                f"{shown(name)}, in query {shown(query.id)}, is not a configuration.",
                f"{nearest(name, known)}There are: {', '.join(known)}.",
            )
        if name in query.configurations[:index]:
            raise place.at(index).refuse(
                f"{shown(name)} is named twice in query {shown(query.id)}.",
                "Keep one of the two.",
            )


def _check_reach(query: Query, dataset: Dataset, place: Place) -> None:
    """Refuse judged documents that a right daemon must not return."""
    for index, judgment in enumerate(query.relevant):
        here = place.at(index, "doc")
        if not dataset.in_scope(judgment.doc, query.filter):
            lies = dataset.placement(judgment.doc)
            where = f"{lies.wing}/{lies.room}" if lies else "nowhere"
            raise here.refuse(
                f"{shown(judgment.doc)} lies in {shown(where)}, outside what query "
                f"{shown(query.id)} asks about (wing {shown(query.filter.wing)}, room "
                f"{shown(query.filter.room)}).",
                "Drop the judgment or widen the filter.",
            )
        if not dataset.visible(judgment.doc, query.temporal):
            raise here.refuse(
                f"{shown(judgment.doc)} does not hold at the time query "
                f"{shown(query.id)} asks about ({query.temporal}).",
                "Judge the version that holds then, or change `temporal`.",
            )
