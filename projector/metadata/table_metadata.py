"""Table metadata that has been checked: what every reader relies on is there, and nothing contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from projector.errors import InvalidMetadataError
from projector.metadata.contradictions import contradictions
from projector.metadata.json_fields import as_object
from projector.metadata.metadata_view import MetadataView, errors_in


@dataclass(frozen=True)
class TableMetadata(MetadataView):
    """One version of a table's metadata. `from_json` checks it; the bare constructor checks nothing."""

    @staticmethod
    def from_json(text: str | bytes | Mapping[str, Any], *, file: str | None = None) -> TableMetadata:
        """Return metadata from its JSON, as text or parsed.

        Raises `UnsupportedError` for a format version above 3, `InvalidMetadataError` for what is not JSON or
        contradicts itself
        (see `contradictions.contradictions`).
        """
        with errors_in(file):
            raw = _parse(text) if isinstance(text, (str, bytes)) else dict(text)
            metadata = TableMetadata(as_object(raw, "metadata"), file)
            for problem in contradictions(metadata):
                raise problem
        return metadata


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(
            text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff"),
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as error:
        raise InvalidMetadataError(f"Table metadata is not UTF-8: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise InvalidMetadataError(f"Table metadata is not JSON: {error}") from None
    except RecursionError:
        raise InvalidMetadataError("Table metadata is not JSON: it is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
