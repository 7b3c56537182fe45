"""One reading of S3's settings, by Arrow, Polars, DuckDB and our own requests."""

from __future__ import annotations

from typing import Any

import pytest
from pyarrow import fs

from projector import ProjectorError
from projector.engines.duckdb.secrets import _secret
from projector.engines.polars.storage import storage_options
from projector.files.storage.credentials import expires_at
from projector.files.storage.locations import parse_location
from projector.files.storage.object_stores import STORES
from projector.files.storage.s3_requests import s3_requests
from projector.files.storage.s3_settings import s3_settings

KEYS = {
    "s3.access-key-id": "key",
    "s3.secret-access-key": "secret",
    "s3.region": "eu-west-1",
    "s3.endpoint": "http://h:1",
}
PLACE = parse_location("s3://bucket/key")


@pytest.mark.parametrize(
    ("given", "virtual"),
    [
        ({}, None),
        ({"s3.path-style-access": "1"}, False),
        ({"s3.path-style-access": "true", "s3.force-virtual-addressing": "true"}, False),
        ({"s3.path-style-access": "false"}, True),
        ({"s3.force-virtual-addressing": "yes"}, True),
        ({"s3.force-virtual-addressing": "false"}, False),
        ({"s3.path-style-access": ""}, None),
    ],
)
def test_the_style_of_addresses_is_the_same_everywhere(
    given: dict[str, str], virtual: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    properties = {**KEYS, **given}
    assert s3_settings(properties).virtual_hosted is virtual
    secret = _secret(properties)
    assert secret is not None
    assert secret["URL_STYLE"] == ("'vhost'" if virtual else "'path'")
    polars = storage_options("s3", properties).get("aws_virtual_hosted_style_request")
    assert polars == (None if virtual is None else str(virtual).lower())
    assert (s3_requests(properties) is None) is bool(virtual)
    made: dict[str, Any] = {}
    monkeypatch.setattr(fs, "S3FileSystem", lambda **options: made.update(options))
    STORES["s3"](PLACE, properties)
    assert made.get("force_virtual_addressing") is virtual


@pytest.mark.parametrize(
    ("text", "expected"), [("false", False), ("0", False), ("true", True), ("1", True), ("", False)]
)
def test_anonymous_means_the_same_everywhere(text: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    properties = {**KEYS, "s3.anonymous": text}
    assert (_secret(properties) is None) is expected
    assert (s3_requests(properties) is None) is expected
    assert ("aws_skip_signature" in storage_options("s3", properties)) is expected
    made: dict[str, Any] = {}
    monkeypatch.setattr(fs, "S3FileSystem", lambda **options: made.update(options))
    STORES["s3"](PLACE, properties)
    assert bool(made.get("anonymous")) is expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s3.connect-timeout", "fast"),
        ("s3.request-timeout", "-1"),
        ("s3.request-timeout", "nan"),
        ("s3.anonymous", "maybe"),
        ("s3.path-style-access", "2"),
    ],
)
def test_a_value_that_a_setting_does_not_take_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ProjectorError, match=f"Invalid {name}: '{value}'"):
        s3_settings({**KEYS, name: value})


@pytest.mark.parametrize("value", ["2147484", "1e300", "1e999", "9" * 5000, "0"])
def test_a_timeout_ends_where_milliseconds_leave_32_bits(value: str) -> None:
    assert s3_settings({**KEYS, "s3.request-timeout": "2147483"}).request_timeout == (2**31 - 1) // 1000
    with pytest.raises(ProjectorError, match=r"Invalid s3.request-timeout.*give a positive number up to 2147483"):
        s3_settings({**KEYS, "s3.request-timeout": value})


@pytest.mark.parametrize("port", ["65536", "99999999", "http", "-1", "0"])
@pytest.mark.parametrize("name", ["s3.endpoint", "s3.proxy-uri"])
def test_an_address_with_a_wrong_port_is_refused_by_name(name: str, port: str) -> None:
    with pytest.raises(ProjectorError, match=f"Invalid {name}") as caught:
        s3_settings({**KEYS, name: f"http://user:hidden@host:{port}"})
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("value", ["1" + "0" * 30, "9" * 400, "253402300800001", "1e999", "soon"])
def test_a_token_that_expires_after_the_year_9999_is_refused_by_name(value: str) -> None:
    token = {"gcs.oauth2.token": "t"}
    STORES["gs"](parse_location("gs://b/k"), {**token, "gcs.oauth2.token-expires-at": "253402300799000"})
    with pytest.raises(ProjectorError, match=r"Invalid gcs.oauth2.token-expires-at"):
        STORES["gs"](parse_location("gs://b/k"), {**token, "gcs.oauth2.token-expires-at": value})


@pytest.mark.parametrize("place", ["hdfs://host:70000/t", "hdfs://host:x/t"])
def test_a_wrong_port_of_hdfs_is_refused_by_name(place: str) -> None:
    with pytest.raises(ProjectorError, match=r"Invalid hdfs.port"):
        STORES["hdfs"](parse_location(place), {})


def test_credentials_may_expire_later_than_any_clock_shows() -> None:
    assert expires_at({"gcs.oauth2.token-expires-at": "9" * 5000}) == float("inf")


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(s3_settings(KEYS))
