// Certgen is a stand-in for github.com/cilium/certgen, which no registry of Go modules serves.
//
// It does what the Cilium chart's certificate Jobs need: it reads the authority from a Secret and
// writes leaf certificates, signed by it, into other Secrets. Unlike the real one it never makes an
// authority: in this project the program hands one in. It logs names and dates, never a key.
package main

import (
	"flag"
	"log"
	"os"
	"time"

	"go.yaml.in/yaml/v3"
)

// configuration is the chart's environment variable CILIUM_CERTGEN_CONFIG.
type configuration struct {
	Certs []leaf `yaml:"certs"`
}

// leaf is one certificate to be made and the Secret that takes it.
type leaf struct {
	Name       string        `yaml:"name"`
	Namespace  string        `yaml:"namespace"`
	CommonName string        `yaml:"commonName"`
	Hosts      []string      `yaml:"hosts"`
	Usage      []string      `yaml:"usage"`
	Validity   time.Duration `yaml:"validity"`
}

func main() {
	log.SetFlags(log.LstdFlags | log.LUTC)
	log.Print("this is the lab's stand-in for cilium-certgen")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	flags := flag.NewFlagSet("cilium-certgen", flag.ExitOnError)
	caNamespace := flags.String("ca-secret-namespace", "kube-system", "namespace of the authority's Secret")
	caName := flags.String("ca-secret-name", "cilium-ca", "name of the authority's Secret")
	covers := flags.Bool("ca-enforce-validity-throughout-leaves-duration", false,
		"refuse leaves that would outlive the authority")
	// Accepted because the chart gives them; the authority is always reused, never made.
	flags.Bool("ca-generate", false, "ignored")
	flags.Bool("ca-reuse-secret", true, "ignored")
	flags.String("ca-common-name", "", "ignored")
	flags.Bool("debug", false, "ignored")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}

	var wanted configuration
	if err := yaml.Unmarshal([]byte(os.Getenv("CILIUM_CERTGEN_CONFIG")), &wanted); err != nil {
		return err
	}
	cluster, err := inCluster()
	if err != nil {
		return err
	}
	secret, err := cluster.secret(*caNamespace, *caName)
	if err != nil {
		return err
	}
	authority, err := parseAuthority(secret.Data["ca.crt"], secret.Data["ca.key"])
	if err != nil {
		return err
	}
	return write(cluster, authority, wanted.Certs, *covers)
}

func write(cluster *cluster, authority *authority, leaves []leaf, covers bool) error {
	now := time.Now()
	for _, wanted := range leaves {
		certificate, key, err := authority.sign(wanted, now, covers)
		if err != nil {
			return err
		}
		data := map[string][]byte{"ca.crt": authority.pem, "tls.crt": certificate, "tls.key": key}
		if err := cluster.writeSecret(wanted.Namespace, wanted.Name, data); err != nil {
			return err
		}
		log.Printf("%s/%s: %q until %s", wanted.Namespace, wanted.Name, wanted.CommonName,
			now.Add(wanted.Validity).Format(time.RFC3339))
	}
	return nil
}
