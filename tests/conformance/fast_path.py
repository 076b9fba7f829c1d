"""Fixture tools that are tools of ours, too, so that the suites also judge the fast path past the SDK. What the fixture
server answers under the same names is heard only on the other way."""

from collections.abc import Awaitable, Callable

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.result import Result
from longtable.toolkit.tool import Arguments, Scope, Tool


class EchoResult(Result):
    text: str


async def simple_text(call: Call, arguments: Arguments) -> EchoResult:
    return EchoResult(text="This is a simple text response for testing.")


async def error_handling(call: Call, arguments: Arguments) -> EchoResult:
    raise InvalidArgument.at("arguments", "are wrong here, whatever they are")


def _tool(name: str, run: Callable[[Call, Arguments], Awaitable[Result]]) -> Tool[Arguments]:
    return Tool(
        name=name,
        title=name,
        description="A fixture.",
        arguments=Arguments,
        result=EchoResult,
        run=run,
        group="workspace",
        roles=EVERYONE,
        audited_as="fixture_called",
        scope=Scope.TENANT,
    )


TOOLS = {
    "test_simple_text": _tool("test_simple_text", simple_text),
    "test_error_handling": _tool("test_error_handling", error_handling),
}
