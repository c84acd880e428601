"""The committed JSON Schema is the one the models have, and reports obey it."""

import json

import jsonschema
import pytest

from harness.report.schema import PATH, report_schema, schema_json, write
from harness.report.store import to_json
from tests.builders import (
    a_caution,
    a_configuration,
    a_latency,
    a_ranking,
    a_report,
    a_violation,
    some_invariants,
)


def test_the_committed_schema_is_up_to_date() -> None:
    assert PATH.read_bytes() == schema_json(), "run `just fmt` and review the change"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())


def test_a_report_with_everything_obeys_the_schema() -> None:
    report = a_report(
        a_configuration(latency=a_latency(), rankings=[a_ranking(plan="exact;rows=9")]),
        warnings=(a_caution(),),
        invariants=some_invariants(violations=[a_violation()]),
    )
    jsonschema.validate(json.loads(to_json(report)), report_schema())


def test_a_report_with_nothing_optional_obeys_the_schema() -> None:
    report = a_report(seeding=None, client_floor=None, invariants=())
    jsonschema.validate(json.loads(to_json(report)), report_schema())


@pytest.mark.parametrize("field", ["format", "version", "dataset", "configurations"])
def test_the_schema_demands_what_names_a_report(field: str) -> None:
    fields = json.loads(to_json(a_report()))
    del fields[field]

    with pytest.raises(jsonschema.ValidationError, match=f"'{field}' is a required"):
        jsonschema.validate(fields, report_schema())


def test_the_schema_refuses_a_field_it_does_not_know() -> None:
    fields = json.loads(to_json(a_report()))
    fields["token"] = "secret"

    with pytest.raises(jsonschema.ValidationError, match="'token' was unexpected"):
        jsonschema.validate(fields, report_schema())


def test_the_lines_under_the_fields_become_descriptions() -> None:
    text = schema_json().decode()

    assert "the identity of the data." in text
    assert "Not an attribute" not in text


def test_the_schema_is_written_where_it_is_asked_for(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("schema") / "report.schema.json"
    write(path)

    assert path.read_bytes() == schema_json()
