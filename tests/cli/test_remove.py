import errno
from pathlib import Path

import pytest
import yaml

from cli.failure import Failure
from cli.membership import removal
from tests.cli.projects import Files


def test_a_cluster_is_taken_out_of_the_others_and_its_file_stays(files: Files) -> None:
    files.says("add", "north")
    before = files.text("north")
    said = files.says_json("remove", "north")
    assert said["files"] == ["Pulumi.east.yaml", "Pulumi.west.yaml"]
    assert (files.peers("east"), files.peers("west")) == (["west"], ["east"])
    assert files.text("north") == before
    result = files.run("check")
    assert (result.exit_code, result.stdout) == (0, "ok: 3 clusters, nothing clashes\n")
    [warning] = result.stderr.splitlines()
    assert warning.startswith("warning: Pulumi.north.yaml: north is left out by all others")


def test_the_others_let_go_before_it_is_destroyed(files: Files) -> None:
    files.says("add", "north")
    assert files.says_json("remove", "north")["next"] == [
        "pulumi up -s east",
        "pulumi up -s west",
        "pulumi state unprotect --all -s north",
        "pulumi destroy -s north",
        "pulumi stack rm north",
    ]


def test_the_others_are_told_what_their_previews_will_show(files: Files) -> None:
    files.says("add", "north")
    files.path("north").write_text(files.text("north").replace("10.11.", "10.12."))
    said = files.says("remove", "north")
    assert "  east: Cilium no longer dials north\n" in said
    assert "  east: CoreDNS no longer forwards north.mesh.example\n" in said
    assert "  west: the Services of the mesh no longer admit 10.12.84.0/22\n" in said


def test_comments_and_everything_else_stay_as_they_were_written(files: Files) -> None:
    files.says("add", "north")
    before = files.text("east").splitlines()
    files.says("remove", "north")
    after = files.text("east").splitlines()
    assert [line for line in after if line not in before] == [
        "  vsphere-cluster-mesh:peers: [west]"
    ]
    assert [line for line in before if line not in after] == []


def test_one_of_several_in_a_list_goes_and_the_others_keep_their_comments(files: Files) -> None:
    files.says("add", "north")
    files.with_peers("east", "# who\n    - north # far\n    - west  # near")
    files.with_peers("west", "[north, east]  # both")
    files.says("remove", "north")
    assert "peers: # who\n    - west  # near\n" in files.text("east")
    assert "peers: [east]  # both" in files.text("west")


def test_a_second_run_changes_nothing_and_says_the_rest(files: Files) -> None:
    files.says("add", "north")
    first = files.says_json("remove", "north")
    again = files.says_json("remove", "north")
    assert again["files"] == []
    assert again["previews"] == {}
    assert again["next"] == first["next"]


def test_after_a_run_cut_short_all_others_are_brought_up_the_authority_first(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.replace_shared("authority: east ", "authority: west ")
    files.says("add", "north")
    written = Path.write_text

    def refuse(path: Path, text: str, **options: str) -> int:
        if path == files.path("west"):
            raise OSError(errno.EACCES, "Permission denied")
        return written(path, text, **options)

    plan = removal(files.load(), "north")
    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(Failure) as refusal:
        plan.write(files.directory)
    monkeypatch.setattr(Path, "write_text", written)
    assert str(refusal.value) == (
        "Pulumi.west.yaml can't be written: Permission denied; written already: Pulumi.east.yaml"
    )
    again = files.says_json("remove", "north")
    assert again["files"] == ["Pulumi.west.yaml"]
    assert again["next"] == [*plan.next]
    assert again["next"][:2] == ["pulumi up -s west", "pulumi up -s east"]


def engine_wrote(files: Files, stack: str) -> None:
    """Leave a stack's file as the engine leaves it: its last comment below its own keys."""
    config, _, hint = files.text(stack).partition("\n  # Stacks to connect to.")
    salt = "encryptionsalt: v1:W8t0XZdIb1c=:v1:gdP/AVFQftgoHXBs:MY7ruyf29ub5ODtf4OmJO4BpD/2dzg=="
    comment = f"# Stacks to connect to.{hint}".replace("\n  #", "\n#")
    files.path(stack).write_text(f"{config}{salt}\n\n{comment}", encoding="utf-8")


def test_the_peers_come_into_the_config_of_a_file_that_the_engine_wrote(files: Files) -> None:
    files.says("add", "north")
    engine_wrote(files, "east")
    before = files.text("east")
    files.says("remove", "north")
    assert files.peers("east") == ["west"]
    line = "  vsphere-cluster-mesh:peers: [west]\n"
    assert files.text("east") == before.replace("encryptionsalt:", f"{line}encryptionsalt:")
    assert "ok: 3 clusters" in files.says("check")


def test_the_peers_come_below_a_block_of_text_at_the_end_of_the_config(files: Files) -> None:
    engine_wrote(files, "east")
    block = "  another:note: |\n    of two lines\n    and no more\n"
    files.replace("east", "encryptionsalt:", f"{block}encryptionsalt:")
    files.says("remove", "west")
    assert f"{block}  vsphere-cluster-mesh:peers: []\nencryptionsalt:" in files.text("east")


def test_a_file_that_can_not_be_changed_is_told_with_the_line_to_write(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.says("add", "north")
    monkeypatch.setattr("cli.stack_file.StackFile._place_for", lambda file, _key: len(file.text))
    files.path("east").write_text(f"{files.text('east')}encryptionsalt: v1\n", encoding="utf-8")
    before = files.text("west")
    place = "below `config`, as deep as its other keys: vsphere-cluster-mesh:peers:"
    assert files.refusal("remove", "north") == (
        "nothing was written, as Pulumi.east.yaml, Pulumi.west.yaml would not be sound;"
        f" write by hand:\nPulumi.east.yaml: {place} [west]\nPulumi.west.yaml: {place} [east]"
    )
    assert files.text("west") == before


def test_the_ends_of_lines_stay_as_they_are(files: Files) -> None:
    files.says("add", "north")
    text = files.path("east").read_bytes().replace(b"\n", b"\r\n")
    files.path("east").write_bytes(text)
    files.says("remove", "north")
    after = files.path("east").read_bytes()
    assert files.peers("east") == ["west"]
    assert after.count(b"\n") == after.count(b"\r\n") == text.count(b"\n") + 1


def test_a_dry_run_writes_nothing(files: Files) -> None:
    before = files.text("east")
    assert "would write Pulumi.east.yaml" in files.says("remove", "west", "--dry-run")
    assert files.text("east") == before


def test_once_its_file_is_gone_the_rest_is_sound_and_grows_again(files: Files) -> None:
    files.says("add", "north")
    files.says("remove", "north")
    files.path("north").unlink()
    result = files.run("check")
    assert (result.exit_code, result.stderr) == (0, "")
    files.says("add", "south")
    assert files.peers("south") == ["east", "west"]
    assert files.peers("east") == ["west", "south"]
    assert files.run("check").stderr == ""


def test_a_cluster_added_while_another_leaves_is_not_dialled_by_it(files: Files) -> None:
    files.says("add", "north")
    files.says("remove", "north")
    files.says("add", "south")
    assert files.peers("south") == ["east", "west"]
    assert files.peers("east") == ["west", "south"]


def test_the_last_peer_leaves_an_empty_list(files: Files) -> None:
    files.says("remove", "west")
    assert files.peers("east") == []
    assert yaml.safe_load(files.text("east"))


def test_the_authority_stays_until_another_has_its_place(files: Files) -> None:
    refusal = files.refusal("remove", "east")
    assert refusal.startswith("east makes the CA of the mesh: name another stack in mesh.authority")
    files.replace_shared("authority: east ", "authority: west ")
    assert "next: pulumi up -s west" in files.says("remove", "east")


def test_an_unknown_stack_is_told_with_the_known_ones(files: Files) -> None:
    assert "no Pulumi.nroth.yaml here" in files.refusal("remove", "nroth")
