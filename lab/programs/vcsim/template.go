package main

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const kibPerGiB = 1 << 20

// createTemplate makes a virtual machine with one pvscsi disk and one vmxnet3 card, and marks it
// as a template.
func (names inventory) createTemplate(
	ctx context.Context, folder *object.Folder, pool *object.ResourcePool,
	network types.BaseVirtualDeviceBackingInfo,
) error {
	spec := types.VirtualMachineConfigSpec{
		Name:     names.template,
		GuestId:  string(types.VirtualMachineGuestOsIdentifierOtherLinux64Guest),
		NumCPUs:  2,
		MemoryMB: 2048,
		Firmware: string(types.GuestOsDescriptorFirmwareTypeEfi),
		Files:    &types.VirtualMachineFileInfo{VmPathName: fmt.Sprintf("[%s]", names.datastore)},
	}
	devices, err := names.templateDevices(network)
	if err != nil {
		return err
	}
	if spec.DeviceChange, err = devices.ConfigSpec(types.VirtualDeviceConfigSpecOperationAdd); err != nil {
		return err
	}
	result, err := finished(ctx)(folder.CreateVM(ctx, spec, pool, nil))
	if err != nil {
		return err
	}
	reference := result.(types.ManagedObjectReference)
	return object.NewVirtualMachine(folder.Client(), reference).MarkAsTemplate(ctx)
}

func (names inventory) templateDevices(
	network types.BaseVirtualDeviceBackingInfo,
) (object.VirtualDeviceList, error) {
	var devices object.VirtualDeviceList
	controller, err := devices.CreateSCSIController("pvscsi")
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("[%s] %s/%s.vmdk", names.datastore, names.template, names.template)
	disk := devices.CreateDisk(
		controller.(types.BaseVirtualController), types.ManagedObjectReference{}, path)
	disk.CapacityInKB = names.templateDiskGiB * kibPerGiB
	disk.StorageIOAllocation = &types.StorageIOAllocationInfo{Limit: types.NewInt64(-1)}
	card, err := devices.CreateEthernetCard("vmxnet3", network)
	if err != nil {
		return nil, err
	}
	return append(devices, controller, disk, card), nil
}

// swapPlacement gives every virtual machine the swap file policy that a real vCenter reports.
// The simulator leaves it empty, and the vSphere plugin then plans a change on every preview.
type swapPlacement struct{}

func (swapPlacement) Reference() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: "SwapPlacement", Value: "SwapPlacement"}
}

func (swapPlacement) PutObject(*simulator.Context, mo.Reference) {}

// UpdateObject is called at the end of a virtual machine's creation, when its config exists.
func (swapPlacement) UpdateObject(
	_ *simulator.Context, item mo.Reference, _ []types.PropertyChange,
) {
	if vm, ok := item.(*simulator.VirtualMachine); ok && vm.Config != nil {
		vm.Config.SwapPlacement = string(types.VirtualMachineConfigInfoSwapPlacementTypeInherit)
	}
}

func (swapPlacement) RemoveObject(*simulator.Context, types.ManagedObjectReference) {}
