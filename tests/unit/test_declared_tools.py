"""A tool is declared once: above the method that does it."""

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.result import Result
from longtable.toolkit.tool import Arguments, tool, tools_of


class Word(Arguments):
    word: str


class Echo(Result):
    word: str


class Parrot:
    @tool("say", title="Say", description="Says it.", group="workspace", roles=EVERYONE, audited_as="said")
    async def repeat(self, call: Call, arguments: Word) -> Echo:
        return Echo(word=arguments.word)

    async def unheard(self, call: Call, arguments: Word) -> Echo:
        return await self.repeat(call, arguments)

    @tool("answer", title="Answer", description="Answers.", group="workspace", roles=EVERYONE, audited_as="answered")
    async def again(self, call: Call, arguments: Word) -> Echo:
        return await self.repeat(call, arguments)


def test_tools_come_in_the_order_of_their_declaration_and_other_methods_are_none() -> None:
    assert [tool.name for tool in tools_of(Parrot(), Parrot())] == ["say", "answer"] * 2


def test_arguments_and_result_are_those_of_the_method() -> None:
    say, _ = tools_of(Parrot())

    assert (say.arguments, say.result) == (Word, Echo)
    assert say.input_schema()["required"] == ["word"]


async def test_a_tool_runs_its_method() -> None:
    say, _ = tools_of(Parrot())
    call = Call(Caller("acme", Role.AGENT, "ada", "agent", Surface.CLI), "say", "said")

    assert await say.run(call, Word(word="oak")) == Echo(word="oak")
