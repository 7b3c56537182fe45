"""Read shapes in another process: a task that can be pickled, and an answer that can be merged.

An answer holds the bytes that schemas are parsed from, each once, and not the schemas: they are few and short.
"""

from __future__ import annotations

from dataclasses import dataclass

from projector.errors import CorruptFileError, ProjectorError
from projector.files.concurrency.tasks import worker_storage
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.shapes import KnownShapes, local_shapes


@dataclass(frozen=True, slots=True)
class ShapeTask:
    """Some files, and the properties of their storage, which may hold secrets and are never printed."""

    paths: tuple[str, ...]
    properties: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"ShapeTask({len(self.paths)} files)"


@dataclass(frozen=True, slots=True)
class ShapeAnswer:
    """The shapes of the files of a task.

    Parameters
    ----------
    fingerprints:
        The shapes, each as a footer's beginning.
    shapes:
        For each file the index of its shape; -1 for one that could not be read.
    row_counts:
        For each file its rows.
    errors:
        The errors of files that could not be read, in their order.
    """

    fingerprints: tuple[bytes, ...]
    shapes: tuple[int, ...]
    row_counts: tuple[int, ...]
    errors: tuple[ProjectorError, ...]

    def append_to(self, schemas: list[FileSchema | ProjectorError], row_counts: list[int], known: KnownShapes) -> None:
        """Append the files of this answer, in order."""
        own: list[FileSchema | ProjectorError] = []
        for fingerprint in self.fingerprints:
            try:
                own.append(known.adopt(fingerprint))
            except CorruptFileError as error:  # pragma: no cover - the other side parsed the same bytes
                own.append(error)
        errors = iter(self.errors)
        schemas.extend(next(errors) if shape < 0 else own[shape] for shape in self.shapes)
        row_counts.extend(self.row_counts)


def run_task(task: ShapeTask) -> ShapeAnswer:
    """Read the shapes of a task's files, one after the other. Errors are part of the answer."""
    schemas: list[FileSchema | ProjectorError] = []
    rows: list[int] = []
    known = KnownShapes()
    local_shapes(task.paths, worker_storage(task.properties), known, schemas, rows)
    fingerprints: list[bytes] = []
    numbers: dict[int, int] = {}
    errors: list[ProjectorError] = []
    shapes: list[int] = []
    for schema in schemas:
        if isinstance(schema, ProjectorError):
            errors.append(schema)
            shapes.append(-1)
            continue
        number = numbers.get(id(schema))
        if number is None:
            number = numbers[id(schema)] = len(fingerprints)
            fingerprints.append(known.fingerprint(schema))
        shapes.append(number)
    return ShapeAnswer(tuple(fingerprints), tuple(shapes), tuple(rows), tuple(errors))
