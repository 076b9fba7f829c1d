"""Builds the request of an operation, with each input in its location and style."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import httpx2

from longtable.kernel.errors import InvalidArgument
from longtable.upstreams.openapi_document import ApiOperation, Parameter

_SEPARATORS = {"spaceDelimited": " ", "pipeDelimited": "|"}


def build_request(operation: ApiOperation, base_url: str, inputs: Mapping[str, Any]) -> httpx2.Request:
    """Raises InvalidArgument for a missing input, one that would lead to another path, and a URL that is too long."""
    values = [(each, inputs.get(each.key)) for each in operation.parameters]
    path = operation.path
    query: list[tuple[str, str]] = []
    for each, value in values:
        if each.location == "path":
            path = path.replace("{" + each.name + "}", _path_value(each, value))
        elif each.location == "query" and value is not None:
            query += _query_pairs(each, value)
    headers = {"accept": "application/json, */*;q=0.5", **_headers(values)}
    content = None
    if operation.body_key is not None and operation.body_key in inputs:
        content = _body(operation, inputs[operation.body_key])
        headers["content-type"] = operation.body_type or "application/json"
    url = base_url.partition("?")[0].rstrip("/") + path
    if query:
        url += "?" + urlencode(query, quote_via=quote)
    return _request(operation.method, url, headers, content)


def _request(method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> httpx2.Request:
    try:
        return httpx2.Request(method, url, headers=headers, content=content)
    except httpx2.InvalidURL as error:
        raise InvalidArgument(f"These inputs do not fit into an address: {error}.") from None


def _headers(values: Sequence[tuple[Parameter, Any]]) -> dict[str, str]:
    present = [(each, value) for each, value in values if value is not None]
    headers = {each.name: _header_value(each, value) for each, value in present if each.location == "header"}
    cookies = [
        f"{quote(each.name, safe='')}={quote(_plain(value), safe='')}"
        for each, value in present
        if each.location == "cookie"
    ]
    return {**headers, "cookie": "; ".join(cookies)} if cookies else headers


def _path_value(parameter: Parameter, value: Any) -> str:
    if value is None:
        raise InvalidArgument.at(parameter.key, "is required")
    text = ",".join(_plain(each) for each in value) if isinstance(value, list) else _plain(value)
    # A server may resolve these as relative segments, however they are encoded.
    if text in ("", ".", ".."):
        raise InvalidArgument.at(parameter.key, "must not be empty, . or ..")
    return quote(text, safe=",")


def _query_pairs(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    name = parameter.name
    if isinstance(value, list):
        if parameter.explode:
            return [(name, _plain(each)) for each in value]
        return [(name, _SEPARATORS.get(parameter.style, ",").join(_plain(each) for each in value))]
    if isinstance(value, Mapping):
        return _object_pairs(parameter, value)
    return [(name, _plain(value))]


def _object_pairs(parameter: Parameter, value: Mapping[str, Any]) -> list[tuple[str, str]]:
    if parameter.style == "deepObject":
        return [(f"{parameter.name}[{key}]", _plain(each)) for key, each in value.items()]
    if parameter.explode:
        return [(str(key), _plain(each)) for key, each in value.items()]
    return [(parameter.name, ",".join(f"{key},{_plain(each)}" for key, each in value.items()))]


def _header_value(parameter: Parameter, value: Any) -> str:
    text = ",".join(_plain(each) for each in value) if isinstance(value, list) else _plain(value)
    if not (text.isascii() and text.isprintable()):
        raise InvalidArgument.at(parameter.key, "must be printable ASCII on one line")
    return text


def _body(operation: ApiOperation, value: Any) -> bytes:
    if (operation.body_type or "").startswith("application/x-www-form-urlencoded"):
        if not isinstance(value, Mapping):
            raise InvalidArgument.at(operation.body_key or "body", "must be an object")
        pairs = [
            (str(key), _plain(each))
            for key, values in value.items()
            for each in (values if isinstance(values, list) else [values])
        ]
        return urlencode(pairs).encode()
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
