"""Rules of the operator: which tools they match, under which condition, and what they require."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, get_args

import jsonschema_rs

from longtable.governance.model import Confirm, Layer, Rate, ToolIdentity
from longtable.kernel.caller import Caller, Role
from longtable.kernel.canonical import digest
from longtable.kernel.clock import DAY, HOUR, MINUTE, SECOND
from longtable.kernel.errors import ConfigError
from longtable.kernel.names import folded

_LAYERS: Mapping[str, Layer] = {
    **{layer.value: layer for layer in Layer},
    "tool": Layer.PRIMITIVE,
    "playbook": Layer.MACRO,
    "run": Layer.GOVERNED,
    "deny": Layer.INTERNAL,
}
_RATE = re.compile(r"([1-9][0-9]{0,8})\s*/\s*(?:([1-9][0-9]{0,5})\s*)?(s|sec|second|m|min|minute|h|hour|d|day)s?")
_PER = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
LONGEST = 2 * DAY
"""Longest period of a rate: buckets unused for longer can be deleted."""
_WHO = ("agents", "roles", "tenants", "sessions")
_KEYS = ("match", *_WHO, "layer", "confirm", "when", "rate", "reason")


@dataclass(frozen=True, slots=True)
class Who:
    """Patterns for the caller. A caller must match one of each kind that is given."""

    agents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    def includes(self, caller: Caller) -> bool:
        """A caller outside of any session matches `*` alone."""
        return (
            _matches(folded(caller.agent), self.agents)
            and _matches(caller.role.value, self.roles)
            and _matches(caller.tenant, self.tenants)
            and _matches(caller.session_id or "", self.sessions)
        )


EVERYBODY = Who()


@dataclass(frozen=True)
class Rule:
    """`when` is a JSON Schema for the inputs; without it the rule always holds."""

    match: str
    who: Who = EVERYBODY
    layer: Layer | None = None
    confirm: Confirm | None = None
    when: Mapping[str, Any] | None = None
    rate: Rate | None = None
    reason: str | None = None

    def concerns(self, identity: ToolIdentity) -> bool:
        return fnmatchcase(str(identity), self.match)

    def holds(self, inputs: Mapping[str, Any] | None) -> bool:
        """Without inputs only unconditional rules hold."""
        if self.when is None:
            return True
        return inputs is not None and self._condition.is_valid(dict(inputs))

    @cached_property
    def _condition(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(dict(self.when or {}), retriever=_refuse)

    def as_json(self) -> dict[str, Any]:
        fields = {
            "match": self.match,
            **{kind: list(patterns) for kind in _WHO if (patterns := getattr(self.who, kind))},
            "layer": self.layer.value if self.layer else None,
            "confirm": self.confirm,
            "when": None if self.when is None else dict(self.when),
            "rate": None if self.rate is None else f"{self.rate.calls}/{self.rate.per // SECOND}s",
            "reason": self.reason,
        }
        return {name: value for name, value in fields.items() if value is not None}


def parse_rules(value: Any, place: str) -> tuple[Rule, ...]:
    """Raises ConfigError with the place."""
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _error(place, "must be a list of rules")
    return tuple(parse_rule(rule, f"{place}[{position}]") for position, rule in enumerate(value))


def parse_rule(value: Any, place: str) -> Rule:
    if not isinstance(value, Mapping):
        raise _error(place, "must be an object with the key match")
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        raise _error(f"{place}.{unknown[0]}", f"is not a key of a rule; allowed: {', '.join(_KEYS)}")
    match = value.get("match")
    if not isinstance(match, str) or not match:
        raise _error(f"{place}.match", "must be a tool such as files.read_file, or a pattern such as files.*")
    rule = Rule(
        match=match,
        who=_who(value, place),
        layer=_layer(value.get("layer"), f"{place}.layer"),
        confirm=_confirm(value.get("confirm"), f"{place}.confirm"),
        when=_condition(value.get("when"), f"{place}.when"),
        rate=parse_rate(value.get("rate"), f"{place}.rate"),
        reason=_text(value.get("reason"), f"{place}.reason"),
    )
    if rule.layer is None and rule.confirm is None and rule.rate is None:
        raise _error(place, "says nothing: it needs layer, confirm or rate")
    return rule


def parse_rate(value: Any, place: str) -> Rate | None:
    """`60/min`, `5/10s`, `1000/day`."""
    if value is None:
        return None
    match = _RATE.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if match is None:
        raise _error(place, "must be a rate such as 60/min, 5/10s or 1000/day")
    per = int(match[2] or 1) * _PER[match[3][0]]
    if per > LONGEST:
        raise _error(place, "must count calls in at most two days")
    return Rate(int(match[1]), per)


def digest_of(rules: Sequence[Rule]) -> str:
    return digest([rule.as_json() for rule in rules])


def _matches(text: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


def _who(rule: Mapping[str, Any], place: str) -> Who:
    return Who(**{kind: _patterns(kind, rule[kind], f"{place}.{kind}") for kind in _WHO if kind in rule})


def _patterns(kind: str, value: Any, place: str) -> tuple[str, ...]:
    """One or more. An empty list would be read as nobody by some and as everybody by others."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not given or not all(isinstance(each, str) and each for each in given):
        raise _error(place, f"must be a list of one or more {kind}, or of patterns such as build-*")
    if kind == "roles":
        _check_roles(given, place)
    return tuple(folded(each) for each in given) if kind == "agents" else tuple(given)


def _check_roles(patterns: Sequence[str], place: str) -> None:
    for pattern in patterns:
        if not any(fnmatchcase(role, pattern) for role in Role):
            raise _error(place, f"{pattern} is no role; there are {', '.join(Role)}")


def _layer(value: Any, place: str) -> Layer | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in _LAYERS:
        raise _error(place, f"must be one of {', '.join(sorted(_LAYERS))}")
    return _LAYERS[value]


def _confirm(value: Any, place: str) -> Confirm | None:
    for known in get_args(Confirm):
        if value == known:
            return known  # type: ignore[no-any-return]
    if value is not None:
        raise _error(place, f"must be one of {', '.join(get_args(Confirm))}")
    return None


def _condition(value: Any, place: str) -> Mapping[str, Any] | None:
    if value is None:
        return None
    try:
        if not isinstance(value, Mapping):
            raise ValueError("it is no object")
        jsonschema_rs.meta.validate(dict(value))
        jsonschema_rs.validator_for(dict(value), retriever=_refuse)
    except (ValueError, jsonschema_rs.ValidationError) as error:
        # The validator's message is long; its first line names the mistake.
        problem = str(error).partition("\n")[0][:200]
        raise _error(place, f"must be a JSON Schema for the inputs: {problem}") from None
    return value


def _text(value: Any, place: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _error(place, "must be a text")
    return value


def _refuse(address: str) -> Any:
    raise ValueError(f"{address}: nothing is fetched")


def _error(place: str, problem: str) -> ConfigError:
    return ConfigError(f"{place}: {problem}.", place=place)
