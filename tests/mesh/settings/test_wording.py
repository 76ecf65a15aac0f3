"""The words for what only looks right to a person: other types, and secrets in wrong places."""

import pytest

from mesh.settings import settings_from_config
from tests.mesh.settings.written import changed, line, problems_of

IN_QUOTES = "is not text: put it in quotes, as it stands in the file"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("cluster.name", True, f"Pulumi.east.yaml: cluster.name: {IN_QUOTES}"),
        ("mesh.authority", False, f"Pulumi.yaml: mesh.authority: {IN_QUOTES}"),
        ("vsphere.template", 1.3, f"Pulumi.east.yaml: vsphere.template: 1.3 {IN_QUOTES}"),
    ],
)
def test_text_that_yaml_reads_as_something_else_belongs_in_quotes(
    path: str, value: object, says: str
) -> None:
    assert line(changed(path, value)) == says


def test_a_password_among_the_settings_is_sent_to_its_place_and_not_printed() -> None:
    assert line(changed("vsphere.password", "hush")) == (
        "Pulumi.east.yaml: vsphere.password: is not a setting: take it out, and run "
        "pulumi config set --secret vcenterPassword -s east"
    )


def test_nothing_is_said_of_an_encrypted_value_but_that_it_may_not_be() -> None:
    config = changed("network.podCidr", "hush")
    config["network"]["gateway"] = "10.99.99.99"
    config["dns"] = {"forwarding": "hush too"}
    encrypted = ["network", "dns", "vcenterPassword"]
    found = problems_of(lambda: settings_from_config("Pulumi.east.yaml", config, encrypted))
    assert [str(problem) for problem in found] == [
        (
            f"Pulumi.east.yaml: {key}: is secure: write it in plain, or leave it out: "
            "it is stored in clear in the program's resources"
        )
        for key in ("network", "dns")
    ]


def test_a_letter_that_is_missing_is_nearer_than_another_group() -> None:
    assert line(changed("dns.extra", {"server": "corp.example { errors }"})) == (
        "Pulumi.east.yaml: dns.extra.server: is not a setting: did you mean servers?"
    )


def test_a_value_below_a_name_of_the_users_is_answered_with_a_value() -> None:
    one = {"kind": "custom", "image": "notes:1", "clusters": {"east": {"replicas": 1}}}
    assert line(changed("workloads", {"notes": {**one, "ports": {"client": "http"}}})) == (
        "Pulumi.yaml: workloads.notes.ports.client: 'http' is not a whole number: "
        "write one like 8080"
    )
