"""The rules that make a data set measurable, in the order they are tried.

Each rule is one that a daemon, a metric or a reader of the report would otherwise
trip over later, with a worse message or with none. The first that fails is raised.
"""

from harness.dataset.model import Dataset
from harness.dataset.place import Place
from harness.dataset.rules.collection import check_collection
from harness.dataset.rules.corrections import check_corrections
from harness.dataset.rules.documents import check_documents
from harness.dataset.rules.mentions import check_mentions
from harness.dataset.rules.queries import check_queries


def check(dataset: Dataset, root: Place) -> None:
    """Raise the first rule that *dataset* breaks.

    Args:
        dataset: A data set of the right shape.
        root: The file it came from, for messages.

    Raises:
        DatasetError: Naming the place, the value and the remedy.
    """
    check_collection(dataset, root)
    check_documents(dataset.documents, root.at("documents"))
    check_corrections(dataset, root.at("supersessions"))
    check_mentions(dataset, root.at("mentions"))
    check_queries(dataset, root.at("queries"))
