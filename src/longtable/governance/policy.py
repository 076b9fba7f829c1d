"""Decides what a tool may do: the operator's rules first, then the strictest of declaration, annotations and name."""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from longtable.governance.model import Confirm, Facts, Hints, Layer, PolicyDecision, ToolDefinition, ToolIdentity, Trust
from longtable.governance.rules import EVERYBODY, Rule, digest_of
from longtable.governance.verbs import NameEffect, effect_by_name
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import digest

_VERSION = 2
"""To be raised when verbs or order change: an approval is valid only under the policy that required it."""

_STRICTNESS = {Layer.PRIMITIVE: 0, Layer.MACRO: 1, Layer.GOVERNED: 2, Layer.INTERNAL: 3}
_CONFIRMS = {"none": 0, "client": 1, "human": 2}
_WRITES = frozenset({"soft_write", "external_write", "destructive"})


class Policy:
    """`off` are upstreams that are switched off. Rules that say who hold only in the policy `for_caller`; `audience` is
    the same for callers for whom the same rules hold."""

    def __init__(self, rules: Sequence[Rule] = (), off: Collection[str] = ()) -> None:
        self._rules = tuple(rule for rule in rules if rule.who == EVERYBODY)
        self._caller_rules = tuple(rule for rule in rules if rule.who != EVERYBODY)
        self._by_audience: dict[str, Policy] = {}
        self._off = frozenset(off)
        self.audience = ""
        self.version = digest([_VERSION, digest_of(rules), sorted(self._off)])[:16]

    def for_caller(self, caller: Caller) -> "Policy":
        if not self._caller_rules:
            return self
        audience = "".join("1" if rule.who.includes(caller) else "0" for rule in self._caller_rules)
        if audience not in self._by_audience:
            policy = self._by_audience[audience] = copy(self)
            holding = [rule for rule, holds in zip(self._caller_rules, audience, strict=True) if holds == "1"]
            policy._rules, policy.audience = (*self._rules, *holding), audience
        return self._by_audience[audience]

    def caller_rules(self, identity: ToolIdentity) -> list[Rule]:
        """The rules for a tool that hold for some callers only."""
        return [rule for rule in self._caller_rules if rule.concerns(identity)]

    def decide(self, definition: ToolDefinition, inputs: Mapping[str, Any] | None = None) -> PolicyDecision:
        """Without inputs, what holds for any of them, as a list shows it."""
        if definition.upstream in self._off:
            return PolicyDecision(Layer.INTERNAL, "none", "its upstream is switched off")
        base = _without_rules(definition)
        if base.layer is Layer.INTERNAL:
            return base
        ruled = [rule for rule in self._rules if rule.concerns(definition.identity) and rule.holds(inputs)]
        decision = _under_rules(base, ruled)
        if definition.is_playbook and decision.layer is Layer.PRIMITIVE:
            return PolicyDecision(Layer.MACRO, decision.confirm, decision.reason, decision.rate)
        return decision

    def decide_reading(
        self, upstream: str, identity: ToolIdentity, trust: Trust, inputs: Mapping[str, Any] | None = None
    ) -> PolicyDecision:
        """For a resource or a prompt. Nobody can approve a single reading, so what a rule governs is not there."""
        if upstream in self._off:
            return PolicyDecision(Layer.INTERNAL, "none", "its upstream is switched off")
        ruled = [rule for rule in self._rules if rule.concerns(identity) and rule.holds(inputs)]
        if trust == "none" and not any(rule.layer for rule in ruled):
            return PolicyDecision(Layer.INTERNAL, "none", "its upstream is not trusted, and no rule allows it")
        decision = _under_rules(PolicyDecision(Layer.PRIMITIVE, "none", "it only reads"), ruled)
        if decision.is_governed:
            return PolicyDecision(Layer.INTERNAL, "none", decision.reason)
        return decision


def strictest(decisions: Sequence[PolicyDecision]) -> PolicyDecision:
    """The strictest layer and the strictest confirmation: one of the decisions need not have both."""
    decision = max(decisions, key=lambda each: (_STRICTNESS[each.layer], _CONFIRMS[each.confirm]))
    return replace(decision, confirm=max((each.confirm for each in decisions), key=_CONFIRMS.__getitem__))


def is_enough(obtained: Confirm, required: Confirm) -> bool:
    """Whether the word of the one serves where that of the other is required."""
    return _CONFIRMS[obtained] >= _CONFIRMS[required]


def _under_rules(base: PolicyDecision, rules: Sequence[Rule]) -> PolicyDecision:
    layers = {rule.layer: rule for rule in reversed(rules) if rule.layer is not None}
    layer, reason = base.layer, base.reason
    if layers:
        layer = max(layers, key=_STRICTNESS.__getitem__)
        reason = layers[layer].reason or f"rule {layers[layer].match}"
    rates = [rule.rate for rule in rules if rule.rate is not None]
    rate = min(rates, key=lambda each: each.calls / each.per) if rates else None
    return PolicyDecision(layer, _confirm(layer, rules), reason, rate)


def _confirm(layer: Layer, rules: Sequence[Rule]) -> Confirm:
    """A rule that makes a tool governed requires a person, unless it says otherwise."""
    if layer is Layer.INTERNAL:
        return "none"
    required = [rule.confirm or "human" for rule in rules if rule.confirm or rule.layer is Layer.GOVERNED]
    if not required:
        return "human" if layer is Layer.GOVERNED else "none"
    return max(required, key=_CONFIRMS.__getitem__)


def _without_rules(definition: ToolDefinition) -> PolicyDecision:
    """By the name, declaration and annotations of the tool."""
    effect = effect_by_name(definition.identity.pack, definition.identity.action)
    if effect is NameEffect.INTERNAL:
        return PolicyDecision(Layer.INTERNAL, "none", "its name says that it is internal")
    if effect is NameEffect.ACTS:
        return _governed("its name says that it changes something")
    risky = _risk(definition.facts, definition.hints)
    if risky is not None:
        return _governed(risky)
    if effect is NameEffect.READS:
        return PolicyDecision(_reading_layer(definition), "none", "its name says that it only reads")
    if definition.trust == "full" and _declared_harmless(definition.facts, definition.hints):
        return PolicyDecision(_reading_layer(definition), "none", "a fully trusted upstream says that it only reads")
    return _governed("nothing says what it does")


def _reading_layer(definition: ToolDefinition) -> Layer:
    return Layer.MACRO if definition.is_playbook else Layer.PRIMITIVE


def _governed(reason: str) -> PolicyDecision:
    return PolicyDecision(Layer.GOVERNED, "human", reason)


def _risk(facts: Facts | None, hints: Hints) -> str | None:
    """Which claim declares a risk. A claim of harmlessness counts only for a fully trusted upstream."""
    if facts is not None:
        if facts.risk_class in _WRITES or facts.side_effect_level in _WRITES:
            return "its backend declares that it writes"
        if facts.danger_level in ("medium", "high"):
            return f"its backend declares its danger as {facts.danger_level}"
        if facts.read_only is False:
            return "its backend declares that it is not read-only"
    if hints.destructive is True:
        return "its annotations say that it is destructive"
    if hints.read_only is False:
        return "its annotations say that it is not read-only"
    return None


def _declared_harmless(facts: Facts | None, hints: Hints) -> bool:
    return hints.read_only is True or (facts is not None and facts.read_only is True)
