import yaml

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


def test_the_others_let_go_before_it_is_destroyed(files: Files) -> None:
    files.says("add", "north")
    assert files.says_json("remove", "north")["next"] == [
        "pulumi up -s east",
        "pulumi up -s west",
        "pulumi state unprotect --all -s north",
        "pulumi destroy -s north",
        "pulumi stack rm north",
        "rm Pulumi.north.yaml",
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
