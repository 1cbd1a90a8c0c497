package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
)

// Region is the blocks of a device that hold no file.
type Region struct {
	What      string // in words
	BlockSize int64
	Blocks    int64
	runs      []run // in order; none means every block from the first
}

// run is a stretch of free blocks.
type run struct {
	start  int64 // block of the device
	before int64 // free blocks of the runs ahead of it
}

// Offset is where the nth free block is.
func (r *Region) Offset(n int64) int64 {
	if len(r.runs) == 0 {
		return n * r.BlockSize
	}
	i := sort.Search(len(r.runs), func(i int) bool { return r.runs[i].before > n }) - 1
	return (r.runs[i].start + n - r.runs[i].before) * r.BlockSize
}

// ErrUncheckable says that free blocks can't be told from others.
var ErrUncheckable = errors.New("free blocks can't be told from others")

// foreign are file systems and the like whose free blocks are not known here, by what
// stands where.
var foreign = []struct {
	what   string
	offset int
	magic  string
}{
	{"xfs", 0, "XFSB"}, {"btrfs", 0x10040, "_BHRfS_M"}, {"swap", 4086, "SWAPSPACE2"}, {"LVM", 536, "LVM2 001"},
	{"LUKS", 0, "LUKS\xba\xbe"}, {"NTFS", 3, "NTFS    "}, {"exFAT", 3, "EXFAT   "}, {"squashfs", 0, "hsqs"},
	{"GPT partition table", 512, "EFI PART"}, {"software RAID", 4096, "\xfc\x4e\x2b\xa9"},
}

// headBytes is how much of a device says what is on it.
const headBytes = 0x10048

// FreeRegion finds the blocks of a device that hold no file: the free ones of an ext2,
// 3 or 4 file system, or all of a device with nothing on it.
func FreeRegion(in io.ReaderAt, size int64) (*Region, error) {
	head := make([]byte, headBytes)
	n, err := in.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the device: %w", err)
	}
	head = head[:n]
	if len(head) >= 2048 && binary.LittleEndian.Uint16(head[1024+0x38:]) == extMagic {
		return extFree(in, head[1024:2048], size)
	}
	for _, f := range foreign {
		if len(head) >= f.offset+len(f.magic) && string(head[f.offset:f.offset+len(f.magic)]) == f.magic {
			return nil, fmt.Errorf("it holds %s: %w", f.what, ErrUncheckable)
		}
	}
	if len(head) >= 512 && head[510] == 0x55 && head[511] == 0xaa {
		return nil, fmt.Errorf("it holds a partition table: name a partition: %w", ErrUncheckable)
	}
	return &Region{What: "no file system is on it, so every block counts", BlockSize: sampleBytes, Blocks: size / sampleBytes}, nil
}

// What is read of the ext file system is described in the Linux kernel's
// Documentation/filesystems/ext4.
const (
	extMagic           = 0xef53
	extMetaGroups      = 0x10 // feature_incompat: descriptors are spread over the device
	ext64Bit           = 0x80
	extBlockUninit     = 0x2 // of a group's flags: its bitmap was never written
	extMaxGroups       = 1 << 22
	extDescriptorBytes = 32
)

// ext is what is needed of a superblock.
type ext struct {
	blockSize, blocks, perGroup, first int64
	descriptor                         int64
}

// extFree finds the free blocks of an ext file system by its bitmaps. Of a group whose
// bitmap was never written it takes the second half: the file system's own tables lie
// in the first.
func extFree(in io.ReaderAt, super []byte, size int64) (*Region, error) {
	e, err := parseSuper(super, size)
	if err != nil {
		return nil, err
	}
	region := &Region{What: "free blocks of an ext file system", BlockSize: e.blockSize}
	groups := (e.blocks - e.first + e.perGroup - 1) / e.perGroup
	if groups > extMaxGroups {
		return nil, fmt.Errorf("an ext file system of %d groups: %w", groups, ErrUncheckable)
	}
	table := make([]byte, groups*e.descriptor)
	if _, err := in.ReadAt(table, (e.first+1)*e.blockSize); err != nil {
		return nil, fmt.Errorf("read the group descriptors: %w", err)
	}
	bitmap := make([]byte, e.blockSize)
	for g := range groups {
		start := e.first + g*e.perGroup
		d := table[g*e.descriptor : (g+1)*e.descriptor]
		if binary.LittleEndian.Uint16(d[0x12:])&extBlockUninit != 0 {
			half := e.perGroup / 2
			region.addFree(make([]byte, half/8+1), start+half, min(half, e.blocks-start-half))
			continue
		}
		at := int64(binary.LittleEndian.Uint32(d))
		if e.descriptor > extDescriptorBytes {
			at |= int64(binary.LittleEndian.Uint32(d[0x20:])) << 32
		}
		if at >= e.blocks {
			return nil, fmt.Errorf("a damaged ext file system: %w", ErrUncheckable)
		}
		if _, err := in.ReadAt(bitmap, at*e.blockSize); err != nil {
			return nil, fmt.Errorf("read a bitmap: %w", err)
		}
		region.addFree(bitmap, start, min(e.perGroup, e.blocks-start))
	}
	if region.Blocks == 0 {
		region.What = "the file system has no free block that can be told"
	}
	return region, nil
}

func parseSuper(super []byte, size int64) (ext, error) {
	word := func(at int) int64 { return int64(binary.LittleEndian.Uint32(super[at:])) }
	e := ext{blocks: word(0x4), first: word(0x14), perGroup: word(0x20), descriptor: extDescriptorBytes}
	incompatible, shift := word(0x60), word(0x18)
	if shift > 6 || incompatible&extMetaGroups != 0 {
		return e, fmt.Errorf("an ext file system of a kind not known here: %w", ErrUncheckable)
	}
	e.blockSize = 1024 << shift
	if incompatible&ext64Bit != 0 {
		e.blocks |= word(0x150) << 32
		e.descriptor = max(e.descriptor, int64(binary.LittleEndian.Uint16(super[0xfe:])))
	}
	if e.perGroup < 8 || e.perGroup > 8*e.blockSize || e.first > 1 || e.blocks <= e.first || e.descriptor > e.blockSize ||
		e.blocks > size/e.blockSize {
		return e, fmt.Errorf("a damaged ext file system: %w", ErrUncheckable)
	}
	return e, nil
}

// addFree adds the free blocks of a group, as runs.
func (r *Region) addFree(bitmap []byte, start, length int64) {
	free := false
	for i := int64(0); i < length; {
		word := bitmap[i/8]
		if i%8 == 0 && word == 0xff { // all in use
			free, i = false, i+8
			continue
		}
		used := word>>(i%8)&1 == 1
		if !used {
			if !free {
				r.runs = append(r.runs, run{start + i, r.Blocks})
			}
			r.Blocks++
		}
		free = !used
		i++
	}
}
