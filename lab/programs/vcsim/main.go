// Command vcsim serves VMware's vCenter simulator with the inventory that the shipped stack
// files name: one datacenter, cluster, datastore and port group, and one template.
//
// The inventory lives in memory and is gone when the program ends. Any user and password are
// accepted. It ends on SIGTERM or SIGINT.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/vmware/govmomi/lookup/simulator"
	_ "github.com/vmware/govmomi/pbm/simulator"
	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/ssoadmin/simulator"
	_ "github.com/vmware/govmomi/sts/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator"
	"github.com/vmware/govmomi/vim25"
)

// What the simulator says it is: a vCenter of the current 8.0 series.
const (
	version    = "8.0.3"
	apiVersion = "8.0.3.0"
	build      = "24022515"
)

func main() {
	log.SetFlags(log.Ltime)
	log.SetPrefix("vcsim: ")

	var names inventory
	listen := flag.String("listen", "127.0.0.1:8989", "address and port to serve HTTPS on; port 0 picks a free one")
	flag.StringVar(&names.datacenter, "datacenter", "Datacenter", "name of the datacenter")
	flag.StringVar(&names.cluster, "cluster", "Compute", "name of the compute cluster")
	flag.IntVar(&names.hosts, "hosts", 4, "number of hosts in the cluster")
	flag.StringVar(&names.datastore, "datastore", "Datastore", "name of the datastore all hosts share")
	flag.StringVar(&names.portGroup, "port-group", "Nodes", "name of the distributed port group")
	flag.StringVar(&names.folder, "folder", "mesh", "name of the folder in which the stacks make theirs; empty for none")
	flag.StringVar(&names.template, "template", "kubernetes-1.36.3", "name of the template virtual machine")
	flag.Int64Var(&names.templateDiskGiB, "template-disk-gib", 20, "size of the template's disk in GiB")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q: everything is given by flags", flag.Arg(0))
	}

	if err := serve(*listen, names); err != nil {
		log.Fatal(err)
	}
}

// serve builds the inventory, listens, and returns after SIGTERM or SIGINT.
func serve(listen string, names inventory) error {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	datastore, err := os.MkdirTemp("", "vcsim-datastore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(datastore)

	model := emptyModel()
	if err := model.Create(); err != nil {
		return err
	}
	defer model.Remove()
	model.Map().AddHandler(swapPlacement{})

	// The service itself is the transport: the inventory is complete before the port opens.
	client, err := vim25.NewClient(stop, model.Service)
	if err != nil {
		return err
	}
	if err := names.create(stop, client, datastore); err != nil {
		return err
	}

	model.Service.Listen = &url.URL{Host: listen}
	model.Service.TLS = new(tls.Config)
	model.Service.RegisterEndpoints = true
	server := model.Service.NewServer()
	defer server.Close()

	log.Printf("serving %s with datacenter %s and template %s",
		server.Server.Listener.Addr(), names.datacenter, names.template)
	<-stop.Done()
	log.Print("asked to end")
	return nil
}

// emptyModel is a vCenter of the current version with no datacenter yet.
func emptyModel() *simulator.Model {
	model := simulator.VPX()
	model.Datacenter = 0
	about := &model.ServiceContent.About
	about.Version, about.ApiVersion, about.Build = version, apiVersion, build
	about.FullName = "VMware vCenter Server " + version + " build-" + build
	return model
}
