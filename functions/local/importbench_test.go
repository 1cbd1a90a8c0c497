package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// vms is a table of SkyPilot of so many rows, as that of AWS is made: types in regions
// of three zones each.
func vms(rows int) func(io.Writer) {
	const types, zones = 400, 3
	return func(w io.Writer) {
		fmt.Fprintln(w, "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone")
		for i := range rows {
			kind, place := i%types, i/types
			cents := 100 + kind*7
			gpu := ","
			if kind%4 == 0 {
				gpu = fmt.Sprintf("T4,%d.0", 1+kind%8)
			}
			fmt.Fprintf(w, "k%d.large,%s,%d.0,%d.0,%d.%02d,%d.%03d,eu-west-%d,euw%d-az%d\n", kind, gpu, 4+kind, 16+4*kind, cents/100, cents%100, cents/300, 100+kind, place/zones, place/zones, place%zones)
		}
	}
}

// priceList is a price list of AWS of about so many bytes: machines of which most are not
// what people mean, then what each costs on demand and reserved.
func priceList(size int) func(io.Writer) {
	const product = `"%s":{"sku":"%[1]s","productFamily":"Compute Instance","attributes":{"servicecode":"AmazonEC2","location":"US East (N. Virginia)","locationType":"AWS Region","instanceType":"k%d.xlarge","currentGeneration":"Yes","instanceFamily":"GPU instance","vcpu":"%d","physicalProcessor":"Intel Xeon Platinum 8275L","clockSpeed":"3 GHz","memory":"1,152 GiB","storage":"8 x 1000 SSD","networkPerformance":"400 Gigabit","processorArchitecture":"64-bit","tenancy":"%s","operatingSystem":"%s","licenseModel":"No License required","usagetype":"BoxUsage:k%[2]d.xlarge","operation":"RunInstances","availabilityzone":"NA","capacitystatus":"Used","gpu":"8","gpuMemory":"NA","marketoption":"OnDemand","normalizationSizeFactor":"192","preInstalledSw":"NA","regionCode":"us-east-1","servicename":"Amazon Elastic Compute Cloud"}}`
	const dimension = `"%s.%s.%s":{"rateCode":"%[1]s.%[2]s.%[3]s","description":"$%s per %[2]s of Linux","beginRange":"0","endRange":"Inf","unit":"%s","pricePerUnit":{"USD":"%[4]s"},"appliesTo":[]}`
	const priced = 4500 // bytes that a product takes, its prices included
	return func(w io.Writer) {
		n := size / priced
		id := func(i int) string { return fmt.Sprintf("%016X", i*7919+1) }
		fmt.Fprint(w, `{"formatVersion":"v1.0","offerCode":"AmazonEC2","publicationDate":"2026-11-27T19:02:11Z","products":{`)
		for i := range n {
			tenancy, system := "Shared", "Linux"
			if i%2 == 1 {
				tenancy = "Dedicated"
			} else if i%30 != 0 {
				system = "Windows"
			}
			fmt.Fprint(w, strings.Repeat(",", min(i, 1)))
			fmt.Fprintf(w, product, id(i), i, 8+i%100, tenancy, system)
		}
		fmt.Fprint(w, `},"terms":{"OnDemand":{`)
		for i := range n {
			fmt.Fprint(w, strings.Repeat(",", min(i, 1)))
			fmt.Fprintf(w, `"%s":{"%[1]s.JRTCKXETXF":{"offerTermCode":"JRTCKXETXF","sku":"%[1]s","effectiveDate":"2026-11-01T00:00:00Z","priceDimensions":{`+dimension+`},"termAttributes":{}}}`,
				id(i), id(i), "JRTCKXETXF", "6YS6EN2CT7", fmt.Sprintf("%d.1234567890", 1+i%90), "Hrs")
		}
		fmt.Fprint(w, `},"Reserved":{`)
		for i := range n {
			fmt.Fprint(w, strings.Repeat(",", min(i, 1)))
			fmt.Fprintf(w, `"%s":{`, id(i))
			for t := range 6 {
				code := fmt.Sprintf("TERM%d", t)
				fmt.Fprint(w, strings.Repeat(",", min(t, 1)))
				fmt.Fprintf(w, `"%s.%s":{"offerTermCode":"%[2]s","sku":"%[1]s","priceDimensions":{`+dimension+`},"termAttributes":{"LeaseContractLength":"%[9]s","OfferingClass":"standard","PurchaseOption":"No Upfront"}}`,
					id(i), code, id(i), code, "6YS6EN2CT7", "", "", "", []string{"1yr", "3yr"}[t%2])
			}
			fmt.Fprint(w, "}")
		}
		fmt.Fprint(w, `}}}`)
	}
}

// written is a file that something wrote.
func written(b *testing.B, path string, write func(io.Writer)) string {
	b.Helper()
	path = filepath.Join(b.TempDir(), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	to := bufio.NewWriterSize(file, 1<<20)
	write(to)
	if err := to.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkImport runs "tierwise import" on a table of 30,000 rows, and on a price list
// of 300 MB, with an empty store: from the start of the program to its end, with the most
// memory that the process had, its code and the embedded catalogue included.
func BenchmarkImport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "tierwise")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, x := range []struct {
		feed, file string
		write      func(io.Writer)
	}{{"skypilot", "aws/vms.csv", vms(30_000)}, {"aws", "us-east-1/index.json", priceList(300 << 20)}} {
		b.Run(x.feed, func(b *testing.B) {
			file := written(b, x.file, x.write)
			var peak int64
			var busy time.Duration
			for b.Loop() {
				command := exec.CommandContext(b.Context(), program, "import", "--feed", x.feed, "--data", b.TempDir(), file)
				out, err := command.CombinedOutput()
				if err != nil || !strings.Contains(string(out), "is current") {
					b.Fatalf("%v\n%s", err, out)
				}
				used := command.ProcessState.SysUsage().(*syscall.Rusage)
				peak = max(peak, used.Maxrss>>10)
				busy += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(busy.Milliseconds())/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(peak), "peak-RSS-MB")
		})
	}
}
