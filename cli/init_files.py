"""The files that `projector init` writes. `@TABLE@` and `@FOLDER@` stand for the table and the migrations' folder."""

from __future__ import annotations

from typing import Final

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

PRE_COMMIT: Final = """\
repos:
  - repo: local
    hooks:
      - id: projector-check
        name: projector check
        entry: projector check @TABLE@
        language: system
        files: ^@FOLDER@/.*\\.sql$
        require_serial: true
"""

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
