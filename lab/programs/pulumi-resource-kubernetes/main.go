// Pulumi-resource-kubernetes is the real Pulumi Kubernetes plugin, built from its module.
//
// The module does not carry the generated schema, and nothing but code generators asks for it.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	provider.Serve("kubernetes", version.Version, []byte("{}"), []byte("{}"))
}
