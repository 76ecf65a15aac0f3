"""Parts of a Corefile that a user may add."""

SERVERS, PLUGINS = "dns.extra.servers", "dns.extra.plugins"
TAKEN = [
    (SERVERS, "corp.example { forward . 10.0.0.53 }"),
    (SERVERS, "corp.example, 192.168.0.0/16 {\n  errors\n  cache 30\n  forward . 10.0.0.53\n}"),
    (SERVERS, "mesh.example.org {\n  hosts {\n    10.9.9.9 a.mesh.example.org\n  }\n}"),
    (SERVERS, "corp.example:5353 {\n  prometheus :9153\n  ready\n  forward . 10.0.0.53\n}"),
    (SERVERS, "a.b {\n view x {\n  expr true\n }\n}\na.b {\n template ANY ANY\n}"),
    (
        SERVERS,
        (
            "a.b {\n rewrite name suffix .a.b. .x.svc.cluster.local. answer auto\n"
            " cache 5 .\n forward . 127.0.0.1\n}"
        ),
    ),
    (PLUGINS, "log"),
    (PLUGINS, "hosts {\n  10.9.9.9 files.corp.example\n  fallthrough\n}"),
    (PLUGINS, "hosts /etc/hosts corp.example {\n  10.9.9.9 files.corp.example\n}"),
    (PLUGINS, "template IN AAAA corp.example {\n  rcode NOERROR\n}"),
    (PLUGINS, "rewrite name old.example new.example"),
    (PLUGINS, "acl {\n  block net 192.0.2.0/24\n}"),
    (PLUGINS, "# nothing yet"),
]
"""By their keys: what leaves the mesh alone."""
