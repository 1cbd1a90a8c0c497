//go:build linux && cgo

package sampler

import "github.com/NVIDIA/go-nvml/pkg/nvml"

// Links asks for the NVLinks of a device, from the first to the last that it has.
func (n *NVML) Links(index int) Value[[]Link] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	device, code := n.device(index)
	if code != CodeSuccess {
		return Failed[[]Link](code)
	}
	if !n.has("nvmlDeviceGetNvLinkState") {
		return Failed[[]Link](CodeFunctionNotFound)
	}
	var links []Link
	for i := range nvml.NVLINK_MAX_LINKS {
		state, code := device.GetNvLinkState(i)
		if code != nvml.SUCCESS {
			return linksUpTo(links, i, Code(code))
		}
		links = append(links, n.link(device, i, state == nvml.FEATURE_ENABLED))
	}
	return Of(links)
}

// linksUpTo is the answer when link i fails. The first one not supported means no
// NVLink at all, a later one that there are no more.
func linksUpTo(links []Link, i int, code Code) Value[[]Link] {
	if i > 0 || code == CodeNotSupported || code == CodeInvalidArgument {
		return Of(links)
	}
	return Failed[[]Link](code)
}

// link asks what is at the other end of a link.
func (n *NVML) link(device nvml.Device, i int, active bool) Link {
	link := Link{Index: i, Active: active}
	if !active {
		return link
	}
	if n.has("nvmlDeviceGetNvLinkVersion") {
		if version, code := device.GetNvLinkVersion(i); code == nvml.SUCCESS {
			link.Version = int(version)
		}
	}
	if n.has("nvmlDeviceGetNvLinkRemoteDeviceType") {
		kind, code := device.GetNvLinkRemoteDeviceType(i)
		link.Switch = code == nvml.SUCCESS && kind == nvml.NVLINK_DEVICE_TYPE_SWITCH
	}
	if n.has("nvmlDeviceGetNvLinkRemotePciInfo", "nvmlDeviceGetNvLinkRemotePciInfo_v2") {
		if info, code := device.GetNvLinkRemotePciInfo(i); code == nvml.SUCCESS {
			link.RemoteBus = busID(info)
		}
	}
	return link
}
