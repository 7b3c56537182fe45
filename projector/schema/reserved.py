"""Ids of the reserved columns that projector reads (spec: Reserved Field IDs)."""

from __future__ import annotations

FILE = 2147483646
POS = 2147483645
DELETED = 2147483644
SPEC_ID = 2147483643
PARTITION = 2147483642
DELETE_FILE_PATH = 2147483546
DELETE_FILE_POS = 2147483545
ROW_ID = 2147483540
LAST_UPDATED_SEQUENCE_NUMBER = 2147483539

METADATA_COLUMNS = frozenset({FILE, POS, DELETED, SPEC_ID, PARTITION, ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER})
"""Those that a scan can select; the others are columns of delete files."""
