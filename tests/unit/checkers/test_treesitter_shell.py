"""Shell scripts are read by bash where there is one."""

from pathlib import Path

import pytest

from longtable.checkers.treesitter import check, shell

needs_bash = pytest.mark.skipif(shell.find_bash() is None, reason="there is no bash here")

VALID = [
    "shopt -s extglob\nls !(*.txt) @(a|b)\ncase $1 in +([0-9])) echo n ;& *) ;; esac\n",
    "cat <<EOF | grep x\n$(date) ${x}\nEOF\n",
    'if [[ $a =~ ^([a-z]+)\\ (.*)$ && ! -f "$f" ]]; then :; fi\n',
    'arr=(a "b c" [5]=d); declare -A m=([k]=v); echo "${arr[@]:1}" "${!m[@]}"\n',
    "diff <(sort a) <(sort b) 2>&1 &> all; exec 3<> f; cmd <<< $'a\\tb'\n",
    "for ((i = 0; i < 3; i++)); do ((x += i)); done; f() { local a=$1; }; g() ( cd /; )\n",
]


@needs_bash
@pytest.mark.parametrize("text", VALID)
def test_valid_scripts_pass(text: str) -> None:
    report = check("sh", text)

    assert (report.checker, report.errors, report.warnings) == ("bash", [], [])


INVALID = [
    ("if true; then\n  echo a\n", 2, "unexpected end of input; 'if' of line 1 is not closed"),
    ("if a; then\n  echo 'fi'\nfi\nfor a in b; do\n  c # done\n", 5, "'for' of line 4 is not closed"),
    ("echo a\nfi\n", 2, "syntax error near unexpected token 'fi'"),
    ('a=1\necho "b\n', 2, "unexpected EOF while looking for matching '\"'"),
    ("a=1\nb=$(date\necho c\n", 2, "unexpected EOF while looking for matching ')'"),
    ('if [[ -n "$1" ; then\n  echo ok\nfi\n', 1, "syntax error in conditional expression"),
]


@needs_bash
@pytest.mark.parametrize(("text", "line", "message"), INVALID)
def test_mistakes_are_reported_with_their_line(text: str, line: int, message: str) -> None:
    found = check("sh", text).errors[0]

    assert found.line == line
    assert message in found.message


@needs_bash
def test_a_here_document_without_end_is_a_warning_because_bash_takes_it() -> None:
    report = check("sh", "cat <<EOF\ntext\n")

    assert report.errors == []
    assert [(found.line, found.column) for found in report.warnings] == [(1, 5)]


@needs_bash
def test_nothing_of_the_script_is_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    check("sh", f"touch {trace}\n$(touch {trace})\na[$(touch {trace})]=1\n")

    assert not trace.exists()


def test_without_bash_the_grammar_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "find_bash", lambda: None)

    report = check("sh", "if true; then\n  echo a\n")

    assert report.checker == "tree-sitter-bash"
    assert len(report.errors) == 1
