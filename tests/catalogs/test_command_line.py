"""The verbs on tables of a catalog; and no secret in anything that they write."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog

import projector
from cli.main import run
from projector.catalogs.secrets import redacted
from tests.catalogs.proxy import Proxy
from tests.catalogs.seaweed import SECRET, SeaweedFS

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": ["a", "b", None]})


def options(settings: dict[str, str]) -> list[str]:
    return ["--catalog", "lake", *(word for k, v in settings.items() for word in ("--catalog-property", f"{k}={v}"))]


@pytest.fixture
def table(lake: Catalog, name: str) -> str:
    lake.create_table(name, ROWS.schema).append(ROWS)
    return name


def test_commit(seaweed: SeaweedFS, lake: Catalog, table: str, capfd: pytest.CaptureFixture[str]) -> None:
    given = options(seaweed.catalog())
    sql = "ALTER TABLE t ADD COLUMN note string; ALTER TABLE t RENAME COLUMN name TO title"
    assert run(["commit", table, *given, "--sql", sql]) == 0
    assert "Committed schema 1: s3://lake/ns/" in capfd.readouterr().out
    assert [f.name for f in lake.load_table(table).schema().fields] == ["id", "title", "note"]
    layout = "ALTER TABLE t ADD PARTITION FIELD bucket(4, id); ALTER TABLE t SET TBLPROPERTIES ('owner' = 'ours')"
    assert run(["commit", table, *given, "--sql", layout, "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["changed"] is True
    assert len(lake.load_table(table).spec().fields) == 1


def test_the_request_that_plan_shows_is_for_the_table_of_the_catalog(
    seaweed: SeaweedFS, table: str, capfd: pytest.CaptureFixture[str]
) -> None:
    sql = ["--sql", "ALTER TABLE t ADD COLUMN note string", "--format", "json"]
    assert run(["plan", table, *options(seaweed.catalog()), *sql]) == 0
    request = json.loads(capfd.readouterr().out)["rest_request"]
    assert request["identifier"] == {"namespace": ["ns"], "name": table.split(".")[1]}


def test_no_secret_is_written_anywhere(
    seaweed: SeaweedFS, table: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    given = options(seaweed.catalog())
    wrong = options({**seaweed.catalog(), "s3.secret-access-key": f"wrong-{SECRET}"})
    away = options({**seaweed.catalog(), "uri": "http://user:hunter22@127.0.0.1:1"})
    sql = ["--sql", "ALTER TABLE t ALTER COLUMN id TYPE bigint"]
    output = ["--output", str(tmp_path / "report")]
    runs: list[tuple[int, list[str]]] = [
        (0, ["check", table, *given, *sql, "--level", "values"]),
        *((0, ["check", table, *given, *sql, "--format", f, *output]) for f in ("html", "json", "sarif", "markdown")),
        (0, ["audit", table, *given, "--fail-on", "never"]),
        (0, ["plan", table, *given, *sql]),
        (0, ["plan", table, *given, *sql, "--format", "json"]),
        (0, ["explain", table, *given]),
        (0, ["inspect", table, "files", *given]),
        (0, ["inspect", table, "history", *given, "--format", "json"]),
        (0, ["query", table, "select count(*) from t", *given]),
        (2, ["--debug", "query", table, "select count(*) from t", *wrong]),
        (2, ["--debug", "check", table, *wrong, *sql]),
        (2, ["--debug", "inspect", table, "files", *away]),
        (2, ["--debug", "inspect", "ns.none", "files", *given]),
        (0, ["commit", table, *given, *sql]),
    ]
    said = ""
    for expected, words in runs:
        code = run(words)
        out, err = capfd.readouterr()
        said += out + err
        assert code in (expected, 1) if expected == 0 else code == expected, (words[:3], code, err)
    said += "".join(file.read_text(errors="replace") for file in tmp_path.rglob("*") if file.is_file())
    loaded = projector.load_table(table, catalog="lake", catalog_properties=seaweed.catalog())
    scan = loaded.scan()
    said += f"{loaded!r}{scan!r}{scan.plan_files()!r}{scan.explain()!r}{loaded._storage!r}{loaded._home!r}"
    said += str(vars(scan.to_duckdb("v")) if hasattr(scan.to_duckdb("v"), "__dict__") else "")
    said += str(scan.to_duckdb("v").sql("select sql from duckdb_views() where not internal").fetchall())
    said += scan.to_lazy().explain()
    assert len(said) > 5000
    assert SECRET not in said
    assert "hunter22" not in said


def test_a_proxy_that_repeats_what_it_was_sent(
    seaweed: SeaweedFS, table: str, rest_proxy: Proxy, capfd: pytest.CaptureFixture[str]
) -> None:
    """Servers put what they were sent into their errors."""
    message = {"error": {"message": f"no: Bearer abcdefgh123 {SECRET}", "type": "x", "code": 403}}
    given = options(seaweed.catalog(rest=rest_proxy.url))
    rest_proxy.fault = lambda request: 403 if "/tables/" in request.file else None
    assert run(["inspect", table, "files", *given]) == 2
    rest_proxy.fault = lambda request: None
    rest_proxy.rewrite = lambda request, content: json.dumps(message).encode()
    assert run(["inspect", table, "files", *given]) == 2
    said = capfd.readouterr().err
    assert SECRET not in said
    assert "abcdefgh123" not in said


def test_settings_of_a_catalog_need_one(seaweed: SeaweedFS, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", "x", "files", "--catalog-property", "uri=x"]) == 2
    assert "no catalog" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "settings", "shown"),
    [
        ("a hunter22 b", {"s3.secret-access-key": "hunter22"}, "a *** b"),
        ("id:hunter22 and hunter22", {"credential": "id:hunter22"}, "*** and ***"),
        ("postgresql://u:p@h/x", {}, "postgresql://***@h/x"),
        ("Authorization: Bearer eyJhbGciOi.x-y_z", {}, "Authorization: Bearer ***"),
        ("deep hunter22", {"auth": {"oauth2": {"client_secret": "hunter22"}}}, "deep ***"),
        ("s3.region is eu-west-1\nsecond line", {"s3.region": "eu-west-1"}, "s3.region is eu-west-1 second line"),
        ("see https://h/token", {"oauth2-server-uri": "https://h/token"}, "see https://h/token"),
        ("key AKIAXYZ", {"s3.access-key-id": "AKIAXYZ"}, "key AKIAXYZ"),
    ],
)
def test_secrets_are_taken_out(text: str, settings: dict[str, object], shown: str) -> None:
    assert redacted(text, settings) == shown
