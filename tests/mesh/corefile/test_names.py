import pytest

from mesh.corefile.names import is_within, longest, served_zones


@pytest.mark.parametrize(
    ("key", "served"),
    [
        ("corp.example", ["corp.example:53"]),
        ("Corp.Example.:5353", ["corp.example:5353"]),
        ("dns://corp.example", ["corp.example:53"]),
        (".", [".:53"]),
        ("local", ["local:53"]),
        ("10.0.0.0/8", ["10.in-addr.arpa:53"]),
        ("10.2.0.0/15:53", ["2.10.in-addr.arpa:53", "3.10.in-addr.arpa:53"]),
        ("10.2.3.4/32", ["4.3.2.10.in-addr.arpa:53"]),
        ("fd00:1::/32", ["1.0.0.0.0.0.d.f.ip6.arpa:53"]),
        ("0/25.2.0.192.in-addr.arpa", ["0/25.2.0.192.in-addr.arpa:53"]),
    ],
)
def test_a_key_names_its_zones_and_port(key: str, served: list[str]) -> None:
    assert [str(one) for one in served_zones(key)] == served


@pytest.mark.parametrize(
    "key", ["", "a..b", "corp.example:70000", "ftp://corp.example", "10.0.0.0/40", "-a.b", ":53"]
)
def test_what_is_no_zone_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        served_zones(key)


def test_a_name_is_in_a_zone_by_whole_labels() -> None:
    assert is_within("a.east.example", "east.example")
    assert is_within("east.example", "east.example")
    assert is_within("anything", "")
    assert not is_within("a.north-east.example", "east.example")
    assert longest(["", "example", "east.example"], "a.east.example") == "east.example"
    assert longest(["west.example"], "a.east.example") is None
