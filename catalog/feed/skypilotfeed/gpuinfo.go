package skypilotfeed

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// mibPerGB is the unit of GpuInfo in that of the catalogue. A figure below it is
// no number of MiB: it is in GB already.
const mibPerGB = 1024

// eitherMemory reads the memory of one GPU from a GpuInfo cell, which is a literal
// of Python: {'Gpus': [{'Name': 'T4', 'Count': 4, 'MemoryInfo': {'SizeInMiB': 16384}}],
// 'TotalGpuMemoryInMiB': 65536}. Some clouds write the memory of one GPU in both
// places, some that of all.
func eitherMemory(info string, count decimal.NullDecimal) []float64 {
	size, total := figureIn(info, "SizeInMiB"), figureIn(info, "TotalGpuMemoryInMiB")
	n := count.Decimal.InexactFloat64()
	if n <= 1 {
		return readings(size, total)
	}
	if size > 0 && math.Abs(total-size*n) < size/2 {
		return readings(size)
	}
	return readings(size, size/n, total/n)
}

// sharedMemory reads the memory of one GPU from a cell of a cloud that writes that
// of all.
func sharedMemory(info string, count decimal.NullDecimal) []float64 {
	total := figureIn(info, "TotalGpuMemoryInMiB")
	if n := count.Decimal.InexactFloat64(); n > 0 {
		total /= n
	}
	return readings(total)
}

// readings are figures in GB, those that are there.
func readings(figures ...float64) []float64 {
	var found []float64
	for _, f := range figures {
		switch {
		case f >= mibPerGB:
			found = append(found, f/mibPerGB)
		case f > 0:
			found = append(found, f)
		}
	}
	return found
}

// figureIn is the number that follows a key, whatever quotes are around the key; 0
// if there is none.
func figureIn(info, key string) float64 {
	at := strings.Index(strings.ToLower(info), strings.ToLower(key))
	if at < 0 {
		return 0
	}
	rest := strings.TrimLeft(info[at+len(key):], `'": `)
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.ParseFloat(rest[:end], 64)
	if err != nil {
		return 0
	}
	return n
}

// sixths makes a count that stands for a third or a sixth of a GPU unknown, since
// no decimal is one, and marks it.
func sixths(row *feed.Row) {
	if !row.GPU.Count.Valid || row.GPU.Count.Decimal.IsInteger() {
		return
	}
	row.Flags = append(row.Flags, "FRACTIONAL_GPU")
	const near = 0.004
	share := row.GPU.Count.Decimal.InexactFloat64()
	for _, part := range []struct {
		flag  catalog.Flag
		share float64
	}{{"FRACTION_1/6", 1.0 / 6}, {"FRACTION_1/3", 1.0 / 3}} {
		if math.Abs(share-part.share) < near {
			row.GPU.Count = decimal.NullDecimal{}
			row.Flags = append(row.Flags, part.flag)
			return
		}
	}
}
