// Prints the addresses of a name, one a line: Go's own resolver.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
)

func main() {
	resolver := net.Resolver{PreferGo: true}
	addresses, err := resolver.LookupIP(context.Background(), "ip", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, address := range addresses {
		fmt.Println(address)
	}
}
