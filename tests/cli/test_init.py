"""`projector init`: what it writes is understood, and nothing is lost to it."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from cli.main import run
from projector.check.report.config import Config, read_config
from tests.check.tables import table

ROOT = Path(__file__).parents[2]
MAKE = table("1 id int!, 2 qty int", [{"id": 1, "qty": 1}])
Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def uncommented(text: str) -> str:
    """The configuration with every setting in it switched on."""
    return re.sub(r"^# (?=[a-z-]+ = |\[\[)", "", text, flags=re.MULTILINE)


def test_the_configuration_changes_nothing_as_it_is() -> None:
    assert run(["init"]) == 0
    assert read_config(Path("projector.toml")) == Config(file=Path("projector.toml"))


def test_every_setting_in_it_is_understood() -> None:
    run(["init"])
    Path("projector.toml").write_text(uncommented(Path("projector.toml").read_text()))
    config = read_config(Path("projector.toml"))
    assert (config.level, config.compatibility, config.fail_on) == ("footers", "backward-transitive", "error")
    assert config.engines == ("spark", "duckdb")
    assert config.sample == 10
    assert [s.codes for s in config.suppressions] == [("T105",)]


def test_a_section_of_pyproject(capsys: Out) -> None:
    Path("pyproject.toml").write_text('[project]\nname = "x"\n')
    assert run(["init", "--pyproject"]) == 0
    text = Path("pyproject.toml").read_text()
    assert text.startswith('[project]\nname = "x"\n')
    assert read_config(Path("pyproject.toml")).suppressions == ()
    Path("pyproject.toml").write_text(uncommented(text))
    assert len(read_config(Path("pyproject.toml")).suppressions) == 1
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"] == {"name": "x"}
    assert run(["init", "--pyproject"]) == 2
    assert "already" in capsys.readouterr().err


def test_no_pyproject() -> None:
    assert run(["init", "--pyproject"]) == 2
    assert list(Path().iterdir()) == []


def test_nothing_is_written_over(capsys: Out) -> None:
    Path("projector.toml").write_text("level = 'values'\n")
    assert run(["init", "--pre-commit", "--github"]) == 2
    assert "projector.toml" in capsys.readouterr().err
    assert [file.name for file in Path().iterdir()] == ["projector.toml"]
    assert run(["init", "--pre-commit", "--github", "--force"]) == 0
    assert "projector check" in Path(".pre-commit-config.yaml").read_text()


USERS = """\
# our hooks
default_stages: [pre-commit]
repos:
- repo: https://github.com/astral-sh/ruff-pre-commit   # the linter
  rev: v0.5.0
  hooks:
  - id: ruff
    args: [--fix]
"""


@pytest.mark.parametrize("tail", ["", "\n# run by a bot\nci:\n  autofix_prs: false\n"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_hook_is_added_to_the_hooks_that_are_there(tail: str, force: list[str], capsys: Out) -> None:
    hooks = Path(".pre-commit-config.yaml")
    hooks.write_text(USERS + tail)
    assert run(["init", "--pre-commit", *force]) == 0
    added = hooks.read_text().removeprefix(USERS).removesuffix(tail)
    assert hooks.read_text() == USERS + added + tail
    assert added.startswith("- repo: local\n  hooks:\n    - id: projector-check\n")
    assert run(["init", "--pre-commit", "--force"]) == 2
    assert "already" in capsys.readouterr().err
    assert hooks.read_text() == USERS + added + tail


@pytest.mark.parametrize("text", ["repos: [{repo: meta, hooks: [{id: identity}]}]\n", "ci: {}\n"])
def test_hooks_that_cannot_be_added_to_are_left_and_the_hook_is_shown(text: str, capsys: Out) -> None:
    hooks = Path(".pre-commit-config.yaml")
    hooks.write_text(text)
    assert run(["init", "--pre-commit", "--force"]) == 2
    assert "- id: projector-check" in capsys.readouterr().err
    assert [file.name for file in Path().iterdir()] == [hooks.name]
    assert hooks.read_text() == text


def test_a_table_that_is_not_there(capsys: Out) -> None:
    assert run(["init", "warehouse/nope", "--pre-commit"]) == 2
    assert "There is no table warehouse/nope" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("select = 5", "select = 5 is not a list of texts"),
        ("engines = 'spark'", "engines = 'spark' is not a list of texts"),
        ("ignore-codes = [1]", "ignore-codes = [1] is not a list of texts"),
        ("level = 5", "level = 5 is not one of: schema, footers, values"),
        ("fail-on = ['error']", "fail-on = ['error'] is not one of"),
        ("sample = true", "sample = True is not a number of files"),
        ("ignore = 3", "ignore = 3 is not a list of tables"),
        ("ignore = {}", "ignore = {} is not a list of tables"),
        ("[[ignore]]\ncodes = 3", "codes = 3 is not a list of texts"),
    ],
)
def test_settings_of_the_wrong_type_are_named(line: str, said: str, capsys: Out) -> None:
    Path("projector.toml").write_text(line)
    assert run(["audit", "nowhere"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("text", ['a"b', "a\nb", "$(rm x)", "a'b", "${{ x }}", "", "`x`"])
def test_names_that_would_be_more_than_names_are_refused(text: str) -> None:
    assert run(["init", text, "--github"]) == 2
    assert run(["init", "t", "--migrations", text, "--github"]) == 2
    assert list(Path().iterdir()) == []


def test_the_hook_checks_files_in_order(in_folder: Path, capsys: Out) -> None:
    (in_folder / "t").mkdir()
    MAKE(in_folder / "t")
    assert run(["init", "t", "--migrations", "changes", "--pre-commit"]) == 0
    text = Path(".pre-commit-config.yaml").read_text()
    entry = re.search(r"entry: (.*)", text)
    files = re.search(r"files: (.*)", text)
    assert entry is not None
    assert files is not None
    assert re.search(files[1], "changes/1.sql")
    assert not re.search(files[1], "other/1.sql")
    Path("1.sql").write_text("ALTER TABLE t ADD COLUMN note string;")
    Path("2.sql").write_text("ALTER TABLE t RENAME COLUMN note TO memo;")
    Path("3.sql").write_text("ALTER TABLE t ALTER COLUMN qty TYPE string;")
    command = shlex.split(entry[1])[1:]
    assert run([*command, "1.sql", "2.sql"]) == 0
    assert run([*command, "2.sql"]) == 1  # on its own there is no such column
    capsys.readouterr()
    assert run([*command, "1.sql", "3.sql"]) == 1
    assert "--> 3.sql:1:28" in capsys.readouterr().out


def test_the_workflow_writes_what_it_uploads(in_folder: Path) -> None:
    (in_folder / "t").mkdir()
    MAKE(in_folder / "t")
    assert run(["init", "t", "--github"]) == 0
    text = Path(".github/workflows/projector.yml").read_text()
    assert "@" not in re.sub(r"uses: \S+@v\d", "", text).replace("files[@]", "")
    options = re.search(r'projector check "\$TABLE" "\$\{files\[@\]\}" (.*)', text)
    assert options is not None
    Path("3.sql").write_text("ALTER TABLE t ALTER COLUMN qty TYPE string;")
    assert run(["check", "t", "3.sql", *shlex.split(options[1])]) == 1
    assert Path("projector.sarif").read_text().startswith("{")
    assert Path("projector.md").read_text().startswith("### projector")


def test_the_hook_for_other_repositories_names_what_is_installed() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: projector check\n" in text
    assert 'projector = "projector_cli.main:main"' in (ROOT / "pyproject.toml").read_text()
