"""List the known failures of evolved tables, and the rules that report them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """A known failure, and the codes of the rules that report it; `unless` says why no rule does."""

    number: str
    what: str
    codes: tuple[str, ...]
    unless: str = ""


def _known(number: str, what: str, codes: str, unless: str = "") -> Failure:
    return Failure(number, what, tuple(codes.split()), unless)


FAILURES: tuple[Failure, ...] = (
    _known("R01", "old rows read otherwise after the change", "F901 F101"),
    _known("R02", "a filter pushed down gives other rows than after a full read", "F902"),
    _known("R03", "a type change outside the table of promotions", "T101"),
    _known("R04", "the scale of a decimal changes", "T103"),
    _known("R05", "a promotion that needs format version 3", "T102 T109"),
    _known("R06", "a promotion that changes partition values", "P101 P102"),
    _known("R07", "a required column without default", "N101"),
    _known("R09", "a default for a type that has none, or a struct's that is not empty", "N104"),
    _known("R10", "a default that does not fit its type", "N103"),
    _known("R11", "a required column whose default is null", "N106"),
    _known("R14", "a map key changes", "S103"),
    _known("R15", "a field moves to another parent, or a primitive becomes a struct", "S104"),
    _known("R16", "an id is given again", "S105 F104"),
    _known("R17", "last-column-id is below an id in use", "S106"),
    _known("R18", "a snapshot's schema is newer than the current one", "S114"),
    _known("R19", "the base has moved since the change was made", "S130"),
    _known("R20", "names that differ only in case", "S108"),
    _known("R21", "a dropped column is used by the spec, the sort order or the identifier fields", "D102"),
    _known("R22", "a dropped column is the source of an older spec", "D103"),
    _known("R23", "an equality delete compares a column that is dropped or promoted", "D104 T107 X106"),
    _known("R24", "a dropped name is used again", "D106"),
    _known("R25", "names change places", "R107"),
    _known("R26", "a nested field is put before another of its type", "S109"),
    _known("R27", "no field of a struct is left from an old file", "S110"),
    _known("R28", "filters on a float that becomes a double", "T105 X108"),
    _known("R29", "bloom filters on a promoted column", "T106"),
    _known("R30", "a column with the name of a partition field", "P103 P104"),
    _known("R31", "a reserved field id", "S111"),
    _known("R32", "a name that looks like a metadata column", "S112"),
    _known("R33", "a name with a dot, or one that Avro cannot spell", "S113 R108"),
    _known("R34", "a snapshot or branch without a column that is needed", "P117 D105"),
    _known("R35", "files without ids and no name mapping", "R102"),
    _known("R36", "a rename with files without ids and no name mapping", "R101"),
    _known("R37", "a name that the mapping lists for another column", "R103 R111"),
    _known("R38", "a name mapping that is malformed or incomplete", "R104 R105 R106 X110 X111"),
    _known("R40", "files with ids on some columns only", "F102"),
    _known("R41", "ids in files that contradict their names", "R109 F108"),
    _known("R42", "ids in files that the table has not given out", "F103"),
    _known("R43", "writers with an old schema", "F105 F106"),
    _known("R44", "lists and maps in layouts of older writers", "F107"),
    _known("R45", "physical types that Iceberg does not write", "F109"),
    _known("R46", "nulls in a required column", "N102 N107"),
    _known("R47", "a value that only the partition tuple has", "P114 X113"),
    _known("R49", "a partition value that is not that of the rows", "P105"),
    _known("R50", "an unknown or void transform, a tuple of another length", "P106 P107 P108"),
    _known("R51", "bounds of the wrong length", "P110 P112"),
    _known("R52", "bounds that contradict each other or the rows", "P111 F902"),
    _known("R53", "manifest-list summaries that cannot be true", "P109"),
    _known("R54", "counts that are missing", "P113"),
    _known("R55", "bounds taken for values by MIN and MAX", "X902", "planners do it: give the query to the check"),
    _known("R56", "a column that somebody relies on is gone, renamed or of another type", "X902 D101 T108"),
    _known("R58", "a column is added", "", "it is no failure, and the check is silent"),
    _known("R59", "only nested fields change", "X114"),
    _known("R60", "a legal table that a reader fails on", "X101 X102 X103 X104 X105 X106 X107 X109 X112 X901"),
    _known("R61", "a file whose rows nobody can read", "F110 F903"),
    _known("R62", "a manifest entry that contradicts its file", "F115"),
    _known("R63", "a file that one snapshot lists twice", "F116"),
)  # fmt: skip
"""By their numbers in the list that the rules were written from; missing numbers were withdrawn."""
