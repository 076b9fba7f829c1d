"""The OpenAPI document as one page of plain HTML: no script, nothing from another host, every text escaped."""

import base64
import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from longtable.rest.schema_text import FieldDescription, described_fields, limit_text, name_of, type_text

Json = Mapping[str, Any]

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1b1a; --paper: #fbfaf8; --line: #ddd8d0; --soft: #6d675f; --mark: #8a4b2a;
  --shade: #f1eee9; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae6; --paper: #1a1918; --line: #3a3733; --soft: #a29b91;
  --mark: #e0a37e; --shade: #252321; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; text-transform: capitalize; }
h3 { font-size: .8rem; margin: 1.25rem 0 .25rem; color: var(--soft); font-weight: 600; }
p { max-width: 70ch; margin: .5rem 0; } a { color: var(--mark); } .soft { color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { text-transform: capitalize; }
details { border-bottom: 1px solid var(--line); } details[open] { padding-bottom: 1.25rem; }
summary { cursor: pointer; padding: .6rem 0; display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "+"; color: var(--soft); font-family: ui-monospace, monospace; margin-right: -.25rem; }
details[open] > summary::before { content: "-"; }
summary:hover .path, summary:focus-visible .path { text-decoration: underline; }
.method { font: 600 .8rem ui-monospace, monospace; color: var(--mark); min-width: 4.5ch; }
.path, code { font: .9em ui-monospace, monospace; } .what { color: var(--soft); margin-left: auto; }
pre { background: var(--shade); padding: .75rem 1rem; border-radius: 6px; overflow-x: auto; margin: .25rem 0; }
pre code { overflow-wrap: normal; }
.wide { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: .9rem;
  overflow-wrap: break-word; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; font-size: .8rem; color: var(--soft); } tr:last-child td { border-bottom: 0; }
td:first-child { white-space: nowrap; }
@media (max-width: 40rem) {
  body { padding: 1.25rem 1rem 3rem; } .what { margin-left: 0; width: 100%; }
  table, tbody, tr, td { display: block; } thead { display: none; } td, td:first-child { border: 0; padding: 0;
  white-space: normal; } td:not(:first-child):not(:last-child) { display: inline; color: var(--soft);
  margin-right: .75rem; } tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } tr:last-child { border: 0; } }
"""

_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
SAFE_HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


def docs_page(document: Json) -> str:
    title = escape(document["info"]["title"])
    groups = [tag["name"] for tag in document["tags"]]
    links = "".join(f'<li><a href="#{escape(name)}">{escape(name)}</a></li>' for name in groups)
    body = "".join(_group(document, tag) for tag in document["tags"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: REST</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>'
        f'<header><h1>{title} <span class="soft">{escape(document["info"]["version"])}</span></h1>'
        f"<p>{_marked(document['info']['description'])}</p>"
        '<p>For programs: <a href="/openapi.json">openapi.json</a>. The examples expect</p>'
        "<pre><code>export LONGTABLE=http://127.0.0.1:8765 TOKEN=...</code></pre></header>"
        f'<nav aria-label="Groups"><ul>{links}</ul></nav><main>{body}{_failures(document)}</main></body></html>'
    )


def example_call(document: Json, path: str, method: str, operation: Json) -> str:
    """A curl command that can be pasted once LONGTABLE and TOKEN are set."""
    parameters = [resolved(document, parameter) for parameter in operation.get("parameters", [])]
    address = _example_address(path, parameters)
    lines = ["curl" + ("" if method == "get" else f" -X {method.upper()}") + f' "$LONGTABLE{address}"']
    if operation.get("security") != []:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if "requestBody" in operation:
        example = operation["requestBody"]["content"]["application/json"]["example"]
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d {shlex.quote(json.dumps(example, ensure_ascii=False))}")
    return " \\\n  ".join(lines)


def _example_address(path: str, parameters: Iterable[Json]) -> str:
    query = {}
    for parameter in parameters:
        name = parameter["name"]
        if parameter["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(str(parameter.get("example", name.upper()))))
        elif parameter["in"] == "query" and "example" in parameter:
            query[name] = parameter["example"]
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def resolved(document: Json, part: Json) -> Json:
    """The part itself, or what it refers to."""
    while "$ref" in part:
        _, kind, name = part["$ref"].removeprefix("#/").split("/")
        part = document["components"][kind][name]
    return part


def _group(document: Json, tag: Json) -> str:
    operations = [
        _operation(document, path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if tag["name"] in operation["tags"]
    ]
    name, text = escape(tag["name"]), escape(tag["description"])
    return f'<section id="{name}"><h2>{name}</h2><p class="soft">{text}</p>{"".join(operations)}</section>'


def _operation(document: Json, path: str, method: str, operation: Json) -> str:
    roles = ", ".join(operation.get("x-roles", []))
    parts = [
        f"<p>{_marked(operation['description'])}</p>" if "description" in operation else "",
        f'<p class="soft">Operation <code>{escape(operation["operationId"])}</code>'
        + (f". Roles: {escape(roles)}.</p>" if roles else ".</p>"),
        _parameters(document, operation),
        _body(document, operation),
        _responses(document, operation),
        f"<h3>Example</h3><pre><code>{escape(example_call(document, path, method, operation))}</code></pre>",
    ]
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><span class="method">{method.upper()}</span>'
        f'<span class="path">{escape(path)}</span><span class="what">{escape(operation["summary"])}</span></summary>'
        f"{''.join(parts)}</details>"
    )


def _parameters(document: Json, operation: Json) -> str:
    rows = []
    for parameter in (resolved(document, one) for one in operation.get("parameters", [])):
        schema = parameter["schema"]
        field = FieldDescription(
            path=parameter["name"],
            type=type_text(schema),
            required=parameter["required"],
            default=json.dumps(schema["default"]) if "default" in schema else "",
            limits=limit_text(schema),
            description=parameter.get("description", ""),
        )
        rows.append([f"<code>{escape(parameter['name'])}</code>", parameter["in"], *_meaning(field)])
    return _table("Parameters", ["Name", "In", "Type", "Meaning"], rows)


def _body(document: Json, operation: Json) -> str:
    if "requestBody" not in operation:
        return ""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return _fields(document, f"Body: {name_of(schema)}", resolved(document, schema))


def _responses(document: Json, operation: Json) -> str:
    shown, refusals = [], []
    for status, response in operation["responses"].items():
        if "$ref" in response:
            refusals.append(status)
            continue
        if "content" not in response:
            shown.append(f"<h3>Answer {escape(status)}</h3><p>{escape(response['description'])}</p>")
            continue
        media_type, content = next(iter(response["content"].items()))
        schema = content["schema"]
        if "$ref" in schema:
            shown.append(_fields(document, f"Answer {status}: {name_of(schema)}", resolved(document, schema)))
        else:
            shown.append(
                f"<h3>Answer {escape(status)}</h3><p>{escape(response['description'])} "
                f"<code>{escape(media_type)}</code></p>"
            )
    statuses = ", ".join(status for status in refusals if status != "default")
    failures = f'<p class="soft">Failures: {statuses}, as <a href="#failures">below</a>.</p>' if statuses else ""
    return "".join(shown) + failures


def _fields(document: Json, title: str, schema: Json) -> str:
    fields = described_fields(schema, document["components"]["schemas"])
    rows = [[f"<code>{escape(field.path)}</code>", *_meaning(field)] for field in fields]
    return _table(title, ["Field", "Type", "Meaning"], rows)


def _meaning(field: FieldDescription) -> list[str]:
    notes = [
        field.description,
        f"Limits: {field.limits}." if field.limits else "",
        f"Default: {field.default}." if field.default else "",
        "" if field.required or field.default else "Optional.",
    ]
    return [escape(field.type), _marked(" ".join(note for note in notes if note))]


def _failures(document: Json) -> str:
    rows = [
        [f"<code>{escape(name)}</code>", _marked(response["description"])]
        for name, response in document["components"]["responses"].items()
    ]
    shape = '{"ok": false, "error": {"error": "what happened", "code": "CODE", "details": {}}}'
    return (
        '<section id="failures"><h2>Failures</h2><p class="soft">One shape for all of them:</p>'
        f"<pre><code>{escape(shape)}</code></pre>{_table('', ['Kind', 'Meaning'], rows)}</section>"
    )


def _table(title: str, header: Iterable[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    above = f"<h3>{escape(title)}</h3>" if title else ""
    return f'{above}<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _marked(text: str) -> str:
    """Words between backticks are code; all else is text."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
