"""Metrics are not used for fields whose names a name mapping has since given away."""

from __future__ import annotations

from projector.planning.filters.bind import bind
from projector.planning.filters.parser import parse_filter
from projector.planning.pruning.metrics_facts import file_facts
from projector.planning.pruning.moved_names import ids_with_moved_names
from projector.planning.pruning.outcomes import might_match
from projector.schema.name_mapping import MappedField, NameMapping
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StringType, StructType
from tests.planning.test_evaluators import Metrics


def _schema(*names):
    return Schema(tuple(NestedField(i, name, StringType()) for i, name in names))


def _mapping(*fields):
    return NameMapping(tuple(MappedField(names, field_id) for field_id, *names_ in fields for names in [tuple(names_)]))


def test_names_that_stayed():
    history = [_schema((1, "id"), (2, "a")), _schema((1, "id"), (2, "b"), (3, "c"))]
    assert ids_with_moved_names(history, _mapping((1, "id"), (2, "a", "b"), (3, "c"))) == set()
    # the mapping never had c: no file without ids was read under it
    assert ids_with_moved_names(history, _mapping((1, "id"), (2, "a", "b"))) == set()


def test_names_that_moved():
    swapped = [_schema((1, "id"), (2, "a"), (3, "b")), _schema((1, "id"), (2, "b"), (3, "a"))]
    assert ids_with_moved_names(swapped, _mapping((1, "id"), (2, "b"), (3, "a"))) == {2, 3}
    reused = [_schema((2, "a")), _schema((2, "old_a")), _schema((2, "old_a"), (3, "a"))]
    assert ids_with_moved_names(reused, _mapping((2, "old_a"), (3, "a"))) == {2}
    dropped = [_schema((2, "v")), _schema((3, "v"))]
    assert ids_with_moved_names(dropped, _mapping((2,), (3, "v"))) == {2}


def test_nested_names():
    def nested(*names):
        return Schema((NestedField(1, "s", StructType(_schema(*names).fields)),))

    history = [nested((2, "a")), nested((2, "b"), (3, "a"))]
    mapping = NameMapping((MappedField(("s",), 1, (MappedField(("b",), 2), MappedField(("a",), 3))),))
    assert ids_with_moved_names(history, mapping) == {2}


def test_doubtful_metrics_are_unknown():
    bound = bind(parse_filter("b = 'x'"), _schema((2, "b")))
    metrics = Metrics(1, {2: 1}, {2: 0}, {}, {2: b"a"}, {2: b"a"})
    assert not might_match(bound, file_facts(metrics))
    assert might_match(bound, file_facts(metrics, doubtful={2}))
