package sampler

import "sync"

// Device is what changes rarely of one GPU.
type Device struct {
	Index             int           `json:"index"`
	Name              Value[string] `json:"name"`
	UUID              Value[string] `json:"-"` // never leaves the machine
	PCIBusID          Value[string] `json:"pci_bus_id"`
	PCIDeviceID       Value[string] `json:"pci_device_id"`
	ComputeCapability Value[string] `json:"compute_capability"`
	Readings          Readings      `json:"-"`
	Links             Value[[]Link] `json:"links"`
}

// Inventory is a machine as its driver describes it.
type Inventory struct {
	Versions Versions
	Devices  []Device
	Paths    map[[2]int]Path // of each pair, the smaller index first
}

// Path returns how two devices reach each other.
func (i *Inventory) Path(a, b int) Path {
	return i.Paths[[2]int{min(a, b), max(a, b)}]
}

// Survey reads everything once. The code is that of counting the devices.
func Survey(source Source) (*Inventory, Code) {
	inventory := &Inventory{Versions: source.Versions(), Paths: make(map[[2]int]Path)}
	counted := source.DeviceCount()
	count, ok := counted.Get()
	if !ok {
		return inventory, counted.Code()
	}
	inventory.Devices = make([]Device, count)
	var all sync.WaitGroup
	for i := range inventory.Devices {
		all.Go(func() { inventory.Devices[i] = survey(source, i) })
	}
	all.Wait()
	for a := range count {
		for b := a + 1; b < count; b++ {
			inventory.Paths[[2]int{a, b}] = source.Path(a, b)
		}
	}
	return inventory, CodeSuccess
}

func survey(source Source, device int) Device {
	return Device{
		Index: device, Name: source.Text(device, Name), UUID: source.Text(device, UUID),
		PCIBusID: source.Text(device, PCIBusID), PCIDeviceID: source.Text(device, PCIDeviceID),
		ComputeCapability: source.Text(device, ComputeCapability), Readings: slow(source, device), Links: source.Links(device),
	}
}

// slow reads every quantity of a device, and drops what can't be.
func slow(source Source, device int) Readings {
	var r Readings
	for q := range firstField {
		r[q] = source.Read(device, q)
	}
	for i, v := range source.ReadFields(device, fields) {
		r[fields[i]] = v
	}
	plausible(&r, &r)
	return r
}
