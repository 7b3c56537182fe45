"""Build the environment of each reader: `python -m tests.readers.environments FOLDER [READER ...]`.

Spark needs a Java runtime, 17 for instance, on the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.readers.relocate_jar import relocate_jar

PACKAGES = {
    "pyiceberg": ("pyiceberg[pyarrow]==0.12.0",),
    "polars": ("polars==2.1.0", "pyiceberg[pyarrow]==0.12.0"),
    "polars-iceberg": ("polars==2.1.0", "polars-iceberg==0.1.0", "pyiceberg[pyarrow]==0.12.0"),
    "duckdb": ("duckdb==1.5.5", "duckdb-extension-iceberg==1.5.5", "duckdb-extension-avro==1.5.5", "pyarrow"),
    "spark": ("pyspark==3.5.9", "snowpark-connect-deps-iceberg==1.0.3", "pyarrow", "pandas"),
}
"""What each environment installs."""

PROGRAMS = {reader: f"read_with_{reader.partition('-')[0]}.py" for reader in PACKAGES}
"""The program of each reader, in this folder."""

JACKSON = "com/fasterxml/jackson"


def build(folder: Path, reader: str) -> None:
    """Make one environment; one that is there is completed."""
    place = folder / reader
    venv.create(place, with_pip=True)
    pip = [str(python(folder, reader)), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *PACKAGES[reader]], check=True)
    if reader == "spark":
        lay_jars(place)


def python(folder: Path, reader: str) -> Path:
    """Return the Python of an environment."""
    return folder / reader / "bin" / "python"


def lay_jars(place: Path) -> None:
    """Lay the Iceberg runtime beside Spark, and the Jackson classes that the packaged runtime lacks.

    Iceberg's runtime refers to Jackson under a package name of its own. Spark ships the same version under the plain
    name, so its jars with the name changed stand in for the missing ones.
    """
    (packages,) = place.glob("lib/python*/site-packages")
    jars = place / "jars"
    jars.mkdir(exist_ok=True)
    (runtime,) = packages.glob("snowpark_connect_deps_iceberg/jars/iceberg-spark-runtime-3.5_2.12-*.jar")
    shutil.copy(runtime, jars)
    for part in ("core", "databind", "annotations"):
        (jar,) = packages.glob(f"pyspark/jars/jackson-{part}-2.*.jar")
        relocate_jar(jar, jars / f"shaded-{jar.name}", JACKSON, f"org/apache/iceberg/shaded/{JACKSON}")


if __name__ == "__main__":
    for wanted in sys.argv[2:] or PACKAGES:
        build(Path(sys.argv[1]), wanted)
