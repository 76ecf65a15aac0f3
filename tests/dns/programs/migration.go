// Reads a Corefile and prints what `kubeadm upgrade` makes of it between two versions of CoreDNS.
// What it would refuse goes to standard error.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/coredns/corefile-migration/migration"
)

func main() {
	from, to := os.Args[1], os.Args[2]
	content, err := io.ReadAll(os.Stdin)
	stopOn(err)
	notices, err := migration.Unsupported(from, to, string(content))
	stopOn(err)
	for _, notice := range notices {
		fmt.Fprintln(os.Stderr, notice.ToString())
	}
	migrated, err := migration.Migrate(from, to, string(content), false)
	stopOn(err)
	fmt.Print(migrated)
}

func stopOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
