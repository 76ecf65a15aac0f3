"""What YAML makes of what people write: read as the engine reads it, or refused in words."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.settings import SettingsError, config_from_engine, sibling_settings
from mesh.settings.scalars import in_doubt
from tests.mesh.settings.project import WEST, Project
from tests.mesh.settings.written import NAME
from tests.mesh.settings.yaml_readings import ENGINE_REFUSES, READINGS, Reading


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.copied_to(tmp_path)


def probe(project: Project, written: str) -> object:
    """Write a value into west's file, and give what west's settings have of it."""
    project.replace(
        WEST, "extraValues: {}", f"extraValues:\n      probe: {written}\n      after: x"
    )
    return project.siblings()["west"].cilium.extra_values["probe"]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.written)
def test_a_value_is_read_as_the_engine_reads_it_or_refused(
    project: Project, reading: Reading
) -> None:
    if reading.refused is None:
        read = probe(project, reading.written)
        assert (read, type(read)) == (reading.engine, type(reading.engine))
        return
    with pytest.raises(SettingsError) as refused:
        probe(project, reading.written)
    key = "Pulumi.west.yaml: cilium.extraValues.probe"
    assert str(refused.value) == f"{key}: {reading.written} {reading.refused}"


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.written)
def test_what_a_refusal_proposes_is_read(project: Project, reading: Reading) -> None:
    doubt = in_doubt(reading.written)
    assert (doubt is None) == (reading.refused is None)
    if doubt is not None:
        word, _, rest = doubt.instead.partition(" ")
        proposed = rest.partition(",")[0].partition(" ")[0] if word == "write" else "'quoted'"
        assert probe(project, proposed) is not None


@pytest.mark.parametrize("written", ENGINE_REFUSES)
def test_a_number_without_an_end_is_refused_as_the_engine_does(
    project: Project, written: str
) -> None:
    with pytest.raises(SettingsError, match="is no number that the engine takes"):
        probe(project, written)


@given(st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_json_has_it_or_refused(number: float) -> None:
    written = json.dumps(number)
    doubt = in_doubt(written)
    if doubt is None:
        assert json.loads(written) == number
    elif "write" in doubt.instead and "shorter" not in doubt.instead:
        proposed = doubt.instead.split()[1].strip(",")
        assert float(proposed) == number
        assert in_doubt(proposed) is None


SECOND = "---\nconfig: {}\n"
FAULTS = {
    "a tab": ("    id: 2 ", "\tid: 2 ", "has a tab: write blanks instead"),
    "a tab after a colon": ("    id: 2 ", "    id:\t2 ", "has a tab: write blanks instead"),
    "a key twice": ("    id: 2 ", "    name: w\n    id: 2 ", "'name' is here twice: keep"),
    "an alias": (
        "    id: 2 ",
        "    id: *two ",
        "'*two' stands for a value elsewhere: write the value itself here",
    ),
    "a merge": (
        "    id: 2 ",
        "    <<: {id: 2} ",
        "'<<' merges other keys: write the keys themselves here",
    ),
    "a type": (
        "    id: 2 ",
        "    id: !!int '2' ",
        "'!!int' names a type of YAML: write the value without it",
    ),
    "a type of one's own": (
        "    id: 2 ",
        "    id: !env ID ",
        "'!env' names a type of YAML: write the value without it",
    ),
    "a key that is a number": (
        "    id: 2 ",
        "    2: id ",
        "'2' is a key that is no text: put it in quotes",
    ),
    "a key that is true": (
        "    id: 2 ",
        "    true: 2 ",
        "'true' is a key that is no text: put it in quotes",
    ),
    "a key that is a list": (
        "    id: 2 ",
        "    ? [id]\n    : 2 ",
        "'?' begins a key that is no text: write a name",
    ),
    "a bracket left open": (
        "addresses: [10.11.84.33-10.11.84.41]",
        "addresses: [10.11.84.33-10.11.84.41",
        "is not YAML: mend its indents or quotes",
    ),
    "a bell": ("    id: 2 ", "    id: \a2 ", "holds a control character (U+0007): delete"),
}
"""Text of west's file, what stands there instead, and the end of the line that says so."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_what_it_seems_is_refused_with_its_line(
    project: Project, fault: str
) -> None:
    old, new, says = FAULTS[fault]
    before, _, _ = project.text(WEST).partition(old)
    project.replace(WEST, old, new)
    [line] = project.lines()
    assert says in line
    # What a bracket left open spoils is the next line that no list can have.
    after = 0 if fault != "a bracket left open" else 2
    assert line.startswith(f"Pulumi.west.yaml: line {before.count(chr(10)) + 1 + after}: ")


def test_a_second_document_is_refused_as_the_engine_reads_the_first_only(project: Project) -> None:
    last = len(project.text(WEST).splitlines())
    project.write(WEST, project.text(WEST) + SECOND)
    assert project.lines() == [
        (
            f"Pulumi.west.yaml: line {last + 1}: '---' begins a second document: "
            "keep one of them in the file"
        )
    ]


WRITINGS: dict[str, Callable[[str], bytes]] = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "dashes around": lambda text: f"---\n{text}...\n".encode(),
    "no line end at the end": lambda text: text.rstrip().encode(),
}


@pytest.mark.parametrize("writing", WRITINGS)
def test_what_an_editor_adds_changes_nothing(project: Project, writing: str) -> None:
    before = project.siblings()
    (project.directory / WEST).write_bytes(WRITINGS[writing](project.text(WEST)))
    assert project.siblings() == before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("- cluster\n", "the file: has no keys: begin it with config:"),
        ("hello\n", "the file: has no keys: begin it with config:"),
        ("config: [cluster]\n", "config: is not a group of settings: write the groups below it"),
        ("config: 3\n", "config: is not a group of settings: write the groups below it"),
        ("confg: {}\n", "confg: is no key of a stack file: did you mean config?"),
        ("Config: {}\n", "Config: is no key of a stack file: did you mean config?"),
        ("config: " + "[" * 5000, "the file: is nested too deep: write it flatter"),
    ],
)
def test_a_file_without_settings_is_told_how_to_begin(
    project: Project, content: str, says: str
) -> None:
    project.write(WEST, content)
    [line] = project.lines()
    assert line.startswith(f"Pulumi.west.yaml: {says}")


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "config:\n", "config: {}\n", "---\n"])
def test_an_empty_file_misses_every_group(project: Project, content: str) -> None:
    project.write(WEST, content)
    assert [line.split(": ")[1] for line in project.lines()] == [
        "cluster",
        "network",
        "nodes",
        "vsphere",
        "loadBalancer",
    ]


def test_a_directory_with_the_name_of_a_stack_file_is_refused(project: Project) -> None:
    (project.directory / "Pulumi.north.yaml").mkdir()
    assert project.lines() == [
        "Pulumi.north.yaml: the file: cannot be read, is a directory: make it a readable file"
    ]


@pytest.mark.parametrize(
    ("old", "new", "key", "character"),
    [
        ("id: 2 ", "id: \u00a02 ", "cluster.id", "no-break space (U+00A0)"),
        ("name: west ", "name: we\u200bst ", "cluster.name", "zero width space (U+200B)"),
        ("id: 2 ", "\u00a0id: 2 ", "cluster.\\xa0id", "no-break space (U+00A0)"),
        ("name: west ", 'name: "we\\ud800st" ', "cluster.name", "a control character (U+D800)"),
    ],
)
def test_a_character_nobody_sees_is_named(
    project: Project, old: str, new: str, key: str, character: str
) -> None:
    project.replace(WEST, f"    {old}", f"    {new}")
    lines = [line for line in project.lines() if "missing" not in line]
    [line] = lines
    assert line.startswith(f"Pulumi.west.yaml: {key}: ")
    assert line.endswith(f"holds {character}: delete it and type it anew")


def test_every_doubt_of_a_file_is_told_at_once_and_each_once(project: Project) -> None:
    project.replace(WEST, "    id: 2 ", "    id: 0644 ")
    project.replace(WEST, "    name: west ", "    name: on ")
    project.replace(WEST, "cpus: 8", "cpus: 1e3")
    project.replace(WEST, "forwarding: true", "forwarding: yes")
    assert [line.split(": ")[1] for line in project.lines()] == [
        "cluster.name",
        "cluster.id",
        "nodes.worker.cpus",
        "dns.forwarding",
    ]


def test_the_own_file_is_held_to_it_too(project: Project) -> None:
    project.replace("Pulumi.east.yaml", "    id: 1 ", "    id: 01 ")
    [line] = project.lines()
    assert line.startswith("Pulumi.east.yaml: cluster.id: 01 is octal to some readers")


def test_nothing_is_shown_of_what_is_no_setting(project: Project) -> None:
    project.replace(WEST, "    user: ", "    passwort: 0815\n    password: 0816\n    user: ")
    text = "\n".join(project.lines())
    assert "vsphere.password" in text
    assert "vsphere.passwort" in text
    assert "0815" not in text
    assert "0816" not in text


@pytest.mark.parametrize("sign", ["*", "!"])
def test_a_password_that_looks_like_yaml_is_not_shown(project: Project, sign: str) -> None:
    project.write(WEST, project.text(WEST) + f"\n  {NAME}:vcenterPassword: {sign}hunter2\n")
    text = "\n".join(project.lines())
    assert "hunter2" not in text
    assert f"{WEST}: line" in text


def test_json_in_a_text_is_read_in_every_file_as_the_engine_hands_it_over(
    project: Project,
) -> None:
    written = """'["east"]'"""
    project.replace(WEST, "# vsphere-cluster-mesh:peers: [east]", f"peers: {written}")
    assert project.siblings()["west"].peers == ("east",)
    engine = {f"{NAME}:peers": '["east"]'}
    assert config_from_engine(engine, NAME) == {"peers": ["east"]}


def test_a_key_without_a_value_is_the_same_on_both_roads(project: Project) -> None:
    project.replace(WEST, "# vsphere-cluster-mesh:peers: [east]", "peers:")
    assert project.lines() == [
        (
            "Pulumi.west.yaml: peers: is empty: "
            "write [] for no peers, or leave it out for all of them"
        )
    ]
    assert config_from_engine({f"{NAME}:peers": ""}, NAME) == {"peers": None}


def test_a_project_key_without_a_value_is_missing_as_for_the_engine(project: Project) -> None:
    project.write("Pulumi.yaml", "name: x\nconfig: {mesh: {value: }}\n")
    with pytest.raises(SettingsError) as refused:
        sibling_settings(project.directory, NAME, "east")
    assert str(refused.value).startswith("Pulumi.yaml: mesh: is missing")
