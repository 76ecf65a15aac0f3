"""Values that Cilium's chart had, and what took their place."""

_CERTIFICATES = "take it out, the program makes the certificates"
_SWITCHED_ON = "take it out, the replaced kube-proxy has it switched on"
REMOVED = {
    "1.18": {
        "enableCiliumEndpointSlice": "write ciliumEndpointSlice.enabled",
        "externalIPs": _SWITCHED_ON,
        "externalWorkloads": "take it out, external workloads are gone",
        "highScaleIPcache": "take it out",
        "hostPort": _SWITCHED_ON,
        "tunnel": "set mesh.tunnelProtocol instead",
    },
    "1.19": {
        "clustermesh.apiserver.tls.client": _CERTIFICATES,
        "customCalls": "take it out",
        "enableK8sEndpointSlice": "take it out, EndpointSlices are always used",
        "loadBalancer.protocolDifferentiation": "take it out, it is always on",
        "nodePort.enabled": _SWITCHED_ON,
        "sessionAffinity": "take it out, it is always on",
        "svcSourceRangeCheck": "take it out, it is always on",
    },
    "1.20": {
        "clustermesh.apiserver.tls.admin": _CERTIFICATES,
        "clustermesh.apiserver.tls.enableSecrets": "take it out, the program makes the Secrets",
        "clustermesh.apiserver.tls.remote": _CERTIFICATES,
        "clustermesh.apiserver.tls.server.cert": _CERTIFICATES,
        "clustermesh.apiserver.tls.server.key": _CERTIFICATES,
        "clustermesh.enableMCSAPISupport": "write clustermesh.mcsapi.enabled",
        "encryption.ipsec.encryptedOverlay": "take it out",
        "encryption.strictMode.allowRemoteNodeIdentities": (
            "write encryption.strictMode.egress.allowRemoteNodeIdentities"
        ),
        "encryption.strictMode.cidr": "write encryption.strictMode.egress.cidr",
        "encryption.strictMode.enabled": "write encryption.strictMode.egress.enabled",
        "hubble.redact.kafka": "take it out",
        "hubble.ui.backend.livenessProbe": "take it out",
        "hubble.ui.backend.readinessProbe": "take it out",
        "preflight.tofqdnsPreCache": "take it out",
    },
}
"""By the first minor without it: a dotted value, and what to write instead.

Source: the charts 1.17 to 1.20 compared; Cilium's documentation, operations/upgrade.
"""
