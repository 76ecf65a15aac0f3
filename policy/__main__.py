"""The policy pack: Pulumi's own form around the rules."""

from collections.abc import Callable, Mapping
from typing import Any

import rules
from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)

_UNPROTECTED = "unprotectedClusters"
_SCHEMA = PolicyConfigSchema(
    properties={_UNPROTECTED: {"type": "array", "items": {"type": "string"}, "default": []}}
)


def _policy(
    name: str,
    description: str,
    rule: Callable[[rules.Subject, Mapping[str, Any]], str | None],
    schema: PolicyConfigSchema | None = None,
) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if sentence := rule(_subject(args), args.get_config()):
            report(sentence)

    return ResourceValidationPolicy(
        name=name, description=description, validate=validate, config_schema=schema
    )


def _subject(args: ResourceValidationArgs) -> rules.Subject:
    return rules.Subject(
        type=args.resource_type,
        name=args.name,
        inputs=args.props,
        protected=args.opts.protect,
        retained=None,
        provider=args.provider.name if args.provider else None,
    )


PolicyPack(
    name="vsphere-cluster-mesh",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[
        _policy(
            "control-planes-are-protected",
            "The VM of a control plane can't be deleted by mistake.",
            lambda subject, config: rules.control_planes_are_protected(
                subject, config.get(_UNPROTECTED, [])
            ),
            _SCHEMA,
        ),
        _policy(
            "the-corefile-stays",
            "Destroying a stack leaves its cluster's DNS alone.",
            lambda subject, _: rules.the_corefile_stays(subject),
        ),
        _policy(
            "a-provider-is-named",
            "No resource takes a default provider.",
            lambda subject, _: rules.a_provider_is_named(subject),
        ),
        _policy(
            "services-are-for-the-mesh-only",
            "The mesh's etcd and DNS are no open doors.",
            lambda subject, _: rules.services_are_for_the_mesh_only(subject),
        ),
    ],
)
