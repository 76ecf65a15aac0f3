package main

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// inventory is what the simulated vCenter holds at start, by name.
type inventory struct {
	datacenter, cluster, datastore, portGroup, folder, template string

	hosts           int
	templateDiskGiB int64
}

// create fills an empty vCenter; directory is where the datastore keeps its files.
func (names inventory) create(ctx context.Context, client *vim25.Client, directory string) error {
	datacenter, err := object.NewRootFolder(client).CreateDatacenter(ctx, names.datacenter)
	if err != nil {
		return fmt.Errorf("datacenter %s: %w", names.datacenter, err)
	}
	folders, err := datacenter.Folders(ctx)
	if err != nil {
		return err
	}
	cluster, err := folders.HostFolder.CreateCluster(ctx, names.cluster, types.ClusterConfigSpecEx{})
	if err != nil {
		return fmt.Errorf("cluster %s: %w", names.cluster, err)
	}
	hosts, err := names.createHosts(ctx, client, cluster, directory)
	if err != nil {
		return err
	}
	network, err := names.createPortGroup(ctx, client, folders.NetworkFolder, hosts)
	if err != nil {
		return fmt.Errorf("port group %s: %w", names.portGroup, err)
	}
	if names.folder != "" {
		if _, err := folders.VmFolder.CreateFolder(ctx, names.folder); err != nil {
			return fmt.Errorf("folder %s: %w", names.folder, err)
		}
	}
	pool, err := cluster.ResourcePool(ctx)
	if err != nil {
		return err
	}
	if err := names.createTemplate(ctx, folders.VmFolder, pool, network); err != nil {
		return fmt.Errorf("template %s: %w", names.template, err)
	}
	return nil
}

// createHosts adds the hosts to the cluster and mounts the one datastore on each.
func (names inventory) createHosts(
	ctx context.Context, client *vim25.Client, cluster *object.ClusterComputeResource, directory string,
) ([]*object.HostSystem, error) {
	var hosts []*object.HostSystem
	for number := 1; number <= names.hosts; number++ {
		spec := types.HostConnectSpec{HostName: fmt.Sprintf("host-%d.example.com", number)}
		result, err := finished(ctx)(cluster.AddHost(ctx, spec, true, nil, nil))
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", spec.HostName, err)
		}
		host := object.NewHostSystem(client, result.(types.ManagedObjectReference))
		datastores, err := host.ConfigManager().DatastoreSystem(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := datastores.CreateLocalDatastore(ctx, names.datastore, directory); err != nil {
			return nil, fmt.Errorf("datastore %s: %w", names.datastore, err)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// createPortGroup makes a distributed switch that all hosts are members of, with one port group.
func (names inventory) createPortGroup(
	ctx context.Context, client *vim25.Client, folder *object.Folder, hosts []*object.HostSystem,
) (types.BaseVirtualDeviceBackingInfo, error) {
	spec := &types.VMwareDVSConfigSpec{DVSConfigSpec: types.DVSConfigSpec{Name: names.portGroup + "-switch"}}
	result, err := finished(ctx)(folder.CreateDVS(ctx, types.DVSCreateSpec{ConfigSpec: spec}))
	if err != nil {
		return nil, err
	}
	dvs := object.NewDistributedVirtualSwitch(client, result.(types.ManagedObjectReference))
	members := new(types.DVSConfigSpec)
	for _, host := range hosts {
		members.Host = append(members.Host, types.DistributedVirtualSwitchHostMemberConfigSpec{
			Operation: string(types.ConfigSpecOperationAdd),
			Host:      host.Reference(),
		})
	}
	// The simulator takes members only by a reconfiguration, not when it makes the switch.
	if _, err := finished(ctx)(dvs.Reconfigure(ctx, members)); err != nil {
		return nil, err
	}
	group := types.DVPortgroupConfigSpec{
		Name:     names.portGroup,
		Type:     string(types.DistributedVirtualPortgroupPortgroupTypeEarlyBinding),
		NumPorts: 128,
	}
	if _, err := finished(ctx)(dvs.AddPortgroup(ctx, []types.DVPortgroupConfigSpec{group})); err != nil {
		return nil, err
	}
	return names.portGroupBacking(ctx, folder)
}

// portGroupBacking finds the port group: the task that makes one doesn't say which it made.
func (names inventory) portGroupBacking(
	ctx context.Context, folder *object.Folder,
) (types.BaseVirtualDeviceBackingInfo, error) {
	children, err := folder.Children(ctx)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		portGroup, ok := child.(*object.DistributedVirtualPortgroup)
		if !ok {
			continue
		}
		if name, err := portGroup.ObjectName(ctx); err == nil && name == names.portGroup {
			return portGroup.EthernetCardBackingInfo(ctx)
		}
	}
	return nil, fmt.Errorf("made, but not found")
}

// finished waits for a task that a call may have started, and gives its result.
func finished(ctx context.Context) func(*object.Task, error) (types.AnyType, error) {
	return func(task *object.Task, err error) (types.AnyType, error) {
		if err != nil {
			return nil, err
		}
		info, err := task.WaitForResult(ctx, nil)
		if err != nil {
			return nil, err
		}
		return info.Result, nil
	}
}
