import pyarrow as pa

from projector import Transaction
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, MappedField, NameMapping
from tests.check.case import Case
from tests.check.tables import foreign, table

IDLESS = foreign({"id": pa.array([1], pa.int32()), "v": pa.array([2], pa.int32())})


def mapping(**names: int) -> NameMapping:
    ids = dict.fromkeys(names.values())
    return NameMapping(tuple(MappedField(tuple(n for n, i in names.items() if i == id_), id_) for id_ in ids))


MAPPED = table("1 id int, 2 v int", IDLESS, properties={NAME_MAPPING_PROPERTY: mapping(id=1, v=2).to_json()})
UNMAPPED = table("1 id int, 2 v int", IDLESS)
BY_ID = table("1 id int, 2 v int", [{"id": 1, "v": 2}],
              properties={NAME_MAPPING_PROPERTY: mapping(id=1, v=2).to_json()})  # fmt: skip
SWAPPED = f"ALTER TABLE t SET TBLPROPERTIES ('{NAME_MAPPING_PROPERTY}' = '{mapping(id=2, v=1).to_json()}')"


def proposed(**names: int) -> Transaction:
    return Transaction().set_name_mapping(mapping(**names))


CASES = [
    Case("names swapped", MAPPED, SWAPPED, ("id", "v"), "error"),
    Case("a name left out", MAPPED, proposed(id=1), ("v",), "error"),
    Case("both, and values say so too", MAPPED, proposed(v=1), ("id", "v"), "error", {"level": "values"}),
    Case("files with ids", BY_ID, SWAPPED),
    Case("no mapping before", UNMAPPED, proposed(id=1, v=2)),
    Case("another name beside", MAPPED, proposed(id=1, v=2, w=2)),
    Case("a rename, which the mapping follows", MAPPED, "ALTER TABLE t RENAME COLUMN v TO w"),
    Case("removed, of which another rule tells", MAPPED,
         f"ALTER TABLE t UNSET TBLPROPERTIES ('{NAME_MAPPING_PROPERTY}')"),
]  # fmt: skip
