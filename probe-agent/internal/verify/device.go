package verify

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// OpenScratch opens what a path names for reading: a block device, a file that is an
// image of one, or for a directory the device below its file system. The reason says
// why there is nothing to look at.
func OpenScratch(path string, mounts io.Reader) (device *os.File, reason string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err.Error()
	}
	if info.IsDir() {
		kind, source, err := mountOf(path, mounts)
		if err != nil {
			return nil, err.Error()
		}
		if kind == "overlay" || kind == "tmpfs" || !strings.HasPrefix(source, "/dev/") {
			return nil, fmt.Sprintf("it is on %s, which has no device of its own", kind)
		}
		path = source
	}
	device, err = os.Open(path)
	if err != nil {
		return nil, fmt.Sprintf("the device can't be read (root is needed): %v", err)
	}
	return device, ""
}

// Size is how long a file or a device is.
func Size(device *os.File) (int64, error) {
	size, err := device.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("measure the device: %w", err)
	}
	return size, nil
}

// mountOf finds the file system that a directory is on, in the format of
// /proc/self/mountinfo.
func mountOf(path string, mounts io.Reader) (kind, source string, err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", "", fmt.Errorf("find the file system: %w", err)
	}
	best := ""
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields, rest := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(rest) < 2 {
			continue
		}
		if point := fields[4]; within(absolute, point) && len(point) >= len(best) {
			best, kind, source = point, rest[0], rest[1]
		}
	}
	if best == "" {
		return "", "", fmt.Errorf("no file system holds %s", path)
	}
	return kind, source, nil
}

func within(path, point string) bool {
	return path == point || point == "/" || strings.HasPrefix(path, point+"/")
}
