"""What is not understood is an error at its place, never skipped."""

from __future__ import annotations

import random

import pytest

from projector.errors import ParseError
from projector.evolution.sql import parse_alter
from projector.evolution.sql.tokens import DIALECTS, Dialect, tokenize
from tests.evolution.test_sql_statements import DEFAULTS, STATEMENTS

# The caret stands under the first character of what is wrong; `|` is that place.
MISTAKES = [
    ("spark", "|", "No statement"),
    ("spark", "-- only a comment\n;|", "No statement"),
    ("spark", "|CREATE TABLE t (a int)", "Not an ALTER TABLE statement: CREATE"),
    ("spark", "|COMMENT ON COLUMN t.c IS 'x'", "COMMENT ON COLUMN is not Spark's"),
    ("spark", "ALTER TABLE t |RENAME TO u", "RENAME TO is not supported"),
    ("spark", "ALTER TABLE t |REPLACE COLUMNS (a int)", "REPLACE COLUMNS is not supported"),
    ("trino", "ALTER TABLE t |ADD PARTITION FIELD bucket(16, id)", "ADD PARTITION FIELD is not trino's"),
    ("duckdb", "ALTER TABLE t |DROP PARTITION FIELD id", "DROP PARTITION FIELD is not duckdb's"),
    ("trino", "ALTER TABLE t |WRITE ORDERED BY id", "WRITE is not trino's"),
    ("duckdb", "ALTER TABLE t |SET TBLPROPERTIES ('a'='b')", "SET TBLPROPERTIES is not duckdb's"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD |zorder(a, b)", "Unknown transform: zorder"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD |bucket(id)", "BUCKET needs a width"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD bucket(|0, id)", "Expected a whole number above zero"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD bucket(|1.5, id)", "Expected a whole number above zero"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD |day(id, 3)", "DAY takes a column and nothing else"),
    ("spark", "ALTER TABLE t ADD PARTITION FIELD id |BY x", "Not understood: BY"),
    ("spark", "ALTER TABLE t REPLACE PARTITION FIELD a |TO b", "Expected WITH"),
    ("spark", "ALTER TABLE t WRITE|", "Expected ORDERED BY, UNORDERED or DISTRIBUTED BY PARTITION"),
    ("spark", "ALTER TABLE t WRITE LOCALLY |UNORDERED", "Expected ORDERED BY"),
    ("spark", "ALTER TABLE t WRITE ORDERED BY a |UNORDERED", "More than one order"),
    ("spark", "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION DISTRIBUTED BY PARTITION|", "More than one distribution"),
    ("spark", "ALTER TABLE t WRITE ORDERED BY a NULLS |MAYBE", "Expected LAST"),
    ("spark", "ALTER TABLE t SET TBLPROPERTIES ('a'|)", "Expected the value of a"),
    ("spark", "ALTER TABLE t SET TBLPROPERTIES ('a'='b', |'a'='c')", "Given twice: a"),
    ("spark", "ALTER TABLE t SET TBLPROPERTIES (|'sort-order'='b')", "use WRITE ORDERED BY"),
    ("spark", "ALTER TABLE t SET TBLPROPERTIES (|)", "Expected the key of a property"),
    ("spark", "ALTER TABLE t UNSET TBLPROPERTIES ('a' |= 1)", "Expected ')'"),
    ("trino", "ALTER TABLE t |SET PROPERTIES x = 1", "SET PROPERTIES is not supported"),
    ("spark", "ALTER TABLE t ADD COLUMN |IF NOT EXISTS c int", "Spark has no IF"),
    ("spark", "ALTER TABLE t ADD COLUMN c| ", "Expected a type, found the end of the statement"),
    ("spark", "ALTER TABLE t ADD COLUMN c int |UNIQUE", "Not understood in a column definition: UNIQUE"),
    ("spark", "ALTER TABLE t ADD COLUMN c int NOT NULL |NOT NULL", "Given twice: NOT NULL"),
    ("spark", "ALTER TABLE t ADD COLUMN c int FIRST |AFTER b", "Given twice: AFTER"),
    ("spark", "ALTER TABLE t ADD COLUMN c array<struct<a: |uuid>>", "UUID is no type of an Iceberg table"),
    ("spark", "ALTER TABLE t ADD COLUMN test|-col int", "quote a name"),
    ("spark", "ALTER TABLE t ADD COLUMN c int DEFAULT |current_date()", "a default must be a literal"),
    ("spark", "ALTER TABLE t ADD COLUMN c int DEFAULT 1 |+ 2", "a default must be a literal"),
    ("spark", "ALTER TABLE t ADD COLUMN c int DEFAULT |array(1)", "a default must be a literal"),
    ("spark", "ALTER TABLE t ALTER COLUMN c SET DEFAULT |now()", "a default must be a literal"),
    ("spark", "ALTER TABLE t ADD COLUMN c date DEFAULT DATE |'2023-02-29'", "Not a date"),
    ("spark", "ALTER TABLE t ADD COLUMN c timestamp DEFAULT |TIMESTAMP '2024-01-01 00:00:00'", "time zone"),
    ("spark", "ALTER TABLE t ADD COLUMN c string DEFAULT CAST('abc' AS |VARCHAR(2))", "may change the value"),
    ("spark", "ALTER TABLE t ADD COLUMN c double DEFAULT |1e99999", "Number out of range"),
    ("trino", f"ALTER TABLE t ADD COLUMN c bigint DEFAULT |{'9' * 5000}", "Number out of range"),
    ("trino", "ALTER TABLE t ADD COLUMN c varchar(|99999999999999999999)", "Expected a whole number"),
    ("trino", "ALTER TABLE t ADD COLUMN c decimal(|٣)", "Expected a whole number"),
    ("spark", "ALTER TABLE t CHANGE COLUMN a |b bigint", "use RENAME COLUMN a TO b"),
    ("spark", "ALTER TABLE t ALTER COLUMN a|", "Expected TYPE, COMMENT, FIRST, AFTER, SET or DROP"),
    ("spark", "ALTER TABLE t RENAME COLUMN a TO b|.c", "one name, not a path"),
    ("spark", "ALTER TABLE t DROP COLUMN a |CASCADE", "Not understood: CASCADE"),
    ("spark", "ALTER TABLE t DROP COLUMN a |ALTER TABLE t DROP COLUMN b", "Not understood: ALTER"),
    ("spark", "ALTER TABLE t DROP COLUMN a; ALTER TABLE |u DROP COLUMN b", "same table"),
    ("spark", "ALTER TABLE a.t DROP COLUMN a; ALTER TABLE |b.t DROP COLUMN b", "same table"),
    ("spark", "ALTER TABLE t DROP COLUMN |'a'", "Expected a column name"),
    ("spark", 'ALTER TABLE t DROP COLUMN |"a"', "Expected a column name"),
    ("spark", "ALTER TABLE t ALTER COLUMN a COMMENT |'oops", "Unclosed string"),
    ("spark", "ALTER TABLE t DROP COLUMN |`oops", "Unclosed quoted name"),
    ("spark", "ALTER TABLE t DROP COLUMN |``", "Empty quoted name"),
    ("spark", "ALTER TABLE t DROP COLUMN a |/* oops /* */", "Unclosed comment"),
    ("trino", "ALTER TABLE t DROP COLUMN a |*/", "Not understood"),
    ("trino", "ALTER TABLE t DROP COLUMN |`a`", "Expected a column name"),
    ("trino", "ALTER TABLE t ALTER COLUMN a |TYPE bigint", "Expected SET DATA TYPE"),
    ("trino", "ALTER TABLE t ADD COLUMN a int|, b int", "Not understood"),
    ("duckdb", "ALTER TABLE t ALTER i TYPE BIGINT |USING i + 1", "USING would rewrite data"),
    ("duckdb", "ALTER TABLE t ADD COLUMN c INT |PRIMARY KEY", "Not understood in a column definition: PRIMARY"),
    ("duckdb", "ALTER TABLE t ADD COLUMN c |HUGEINT", "use DECIMAL(38, 0)"),
    ("duckdb", "ALTER TABLE t DROP COLUMN i|, DROP COLUMN j", "Not understood"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "marked", "message"), MISTAKES, ids=[m[1][:80] for m in MISTAKES])
def test_mistake(dialect: str, marked: str, message: str) -> None:
    position = marked.index("|")
    text = marked.replace("|", "", 1)
    with pytest.raises(ParseError) as raised:
        parse_alter(text, dialect)
    assert message in str(raised.value)
    assert raised.value.position == position
    assert "\n" not in str(raised.value)


def test_line_and_column() -> None:
    with pytest.raises(ParseError) as raised:
        parse_alter("ALTER TABLE t\n  ADD COLUMN a uuid")
    assert raised.value.line_and_column == (2, 16)


def whole_texts() -> list[tuple[Dialect, str]]:
    texts = [(dialect, text) for dialect, text, _ in STATEMENTS]
    texts += [(dialect, f"ALTER TABLE t ADD COLUMN c {written}") for dialect, written, *_ in DEFAULTS]
    return texts  # type: ignore[return-value]


def understood_or_placed(text: str, dialect: str) -> None:
    try:
        spans = [(located.start, located.end) for located in parse_alter(text, dialect).operations]
    except ParseError as error:
        spans = [(-1 if error.position is None or error.text != text else error.position, len(text) + 1)]
    assert all(0 <= start < end <= len(text) + 1 and start <= len(text) for start, end in spans)


def test_every_beginning_parses_or_says_where_it_does_not() -> None:
    for dialect, text in whole_texts():
        for length in range(len(text)):
            understood_or_placed(text[:length], dialect)


def test_every_deleted_token_parses_or_says_where_it_does_not() -> None:
    for dialect, text in whole_texts():
        for token in tokenize(text, dialect)[:-1]:
            understood_or_placed(text[: token.start] + text[token.end :], dialect)


def test_shuffled_and_foreign_tokens() -> None:
    chosen = random.Random(20240229)
    texts = whole_texts()
    pool = [token.text for dialect, text in texts for token in tokenize(text, dialect)[:-1]]
    pool += ["é", "\u00a0", "$", "$$", "{{", "#", "\\", "\0", "'", '"', "`", "/*", "*/", "--", "::", "1e", "0x", "😀"]
    for _ in range(4000):
        dialect, text = chosen.choice(texts)
        words = [token.text for token in tokenize(text, dialect)[:-1]]
        for _ in range(chosen.randint(1, 3)):
            place = chosen.randrange(len(words) + 1)
            words[place : place + chosen.randint(0, 1)] = [chosen.choice(pool)]
        understood_or_placed(chosen.choice([" ", "\n", ""]).join(words), chosen.choice(DIALECTS))
