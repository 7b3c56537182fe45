"""The files that `projector init` writes; `@TABLE@` and `@FOLDER@` stand for the table and the migrations."""

from __future__ import annotations

import re
from typing import Final

from projector.errors import ProjectorError

CONFIGURATION: Final = """\
# How `projector check`, `audit` and `commit` look at tables. What is commented out is the default.

# How far to look: "schema" (metadata alone), "footers" (of every live file), "values" (read before and after).
# level = "footers"

# Who must be able to read what: "backward", "forward", "full", each of the current snapshot's files or, with
# "-transitive" behind it, of every retained one's; or "none".
# compatibility = "backward-transitive"

# The least severity that fails: "error", "warning", "info", "never".
# fail-on = "error"

# The readers whose troubles count, of "spark", "trino", "duckdb", "polars", "pyiceberg". All, unless given.
# engines = ["spark", "duckdb"]

# Codes, or beginnings of them, to report alone, and to leave out. `projector rules` lists them.
# select = []
# ignore-codes = []

# At level "values": how many files of each shape are read at most. All, unless given.
# sample = 10

# Findings that somebody has decided to live with. The reason is required; after `until` they count again.
# [[ignore]]
# table = "orders"
# field = "customer.*"
# codes = ["T105"]
# reason = "only the nightly job reads it, and it does not filter"
# until = 2030-06-30
"""

_HOOK: Final = """\
  - repo: local
    hooks:
      - id: projector-check
        name: projector check
        entry: projector check @TABLE@
        language: system
        files: ^@FOLDER@/.*\\.sql$
        require_serial: true
"""

_REPOS = re.compile(r"^repos:[ \t]*(?:#.*)?$", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^[^\s#-]", re.MULTILINE)


def with_hook(text: str) -> str:
    """Return a pre-commit configuration with the hook at the end of its `repos`; the rest stays as it is.

    Raises `ProjectorError`, with the hook to paste, if the text already has the hook or `repos` is not a block.
    """
    text = re.sub(r"^repos:[ \t]*\[[ \t]*\][ \t]*$", "repos:", text, flags=re.MULTILINE)
    if text.strip() in ("", "repos:"):
        return f"repos:\n{_HOOK}"
    if re.search(r"\bid:\s*[\"']?projector-check\b", text):
        raise ProjectorError("There is a hook projector-check in .pre-commit-config.yaml already", hint="edit it there")
    found = _REPOS.findall(text)
    head = _REPOS.search(text)
    first = head and re.search(r"^([ \t]*)- ", text[head.end() :], re.MULTILINE)
    if head is None or first is None or len(found) > 1:
        raise ProjectorError(
            "Cannot add a hook to .pre-commit-config.yaml: its repos are not a list of lines",
            hint=f"add this to its repos: {' '.join(_HOOK.split())}",
        )
    after = _TOP_LEVEL.search(text, head.end())
    end = len(text) if after is None else after.start()
    # Comments in front of the next key belong to that key.
    lines = text[head.end() : end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
        end -= len(lines.pop())
    newline = "\r\n" if "\r\n" in text else "\n"
    hook = "".join(f"{first[1]}{line[2:]}{newline}" for line in _HOOK.splitlines())
    before = text[:end]
    return before + ("" if before.endswith("\n") else newline) + hook + text[end:]


WORKFLOW: Final = """\
name: projector

on:
  pull_request:
    paths: ["@FOLDER@/**.sql"]

permissions:
  contents: read
  pull-requests: write # the comment
  security-events: write # the annotations of code scanning

jobs:
  check:
    runs-on: ubuntu-latest
    env:
      TABLE: @TABLE@
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install iceberg-projector
      - name: Check the migrations of this pull request on the table's files
        env:
          BASE: ${{ github.base_ref }}
        run: |
          mapfile -t files < <(git diff --name-only --diff-filter=AM "origin/$BASE..." -- '@FOLDER@/*.sql' | sort)
          if [ ${#files[@]} -gt 0 ]; then
            projector check "$TABLE" "${files[@]}" --report projector.sarif --report projector.md
          fi
      - name: Show the findings in code scanning
        if: always() && hashFiles('projector.sarif') != ''
        uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: projector.sarif
      - name: Comment on the pull request
        if: always() && hashFiles('projector.md') != ''
        env:
          GH_TOKEN: ${{ github.token }}
          NUMBER: ${{ github.event.pull_request.number }}
        run: gh pr comment "$NUMBER" --body-file projector.md --edit-last --create-if-none
"""
