package workload

// RentalOf is time on hardware as a stage: it takes just that long on any GPU,
// fits everywhere, and moves no data. The disk is the system's and an image's.
func RentalOf(seconds float64) Stage {
	return Stage{Name: Rental, RentedSeconds: seconds, DiskGB: systemDiskGB + imageDiskGB}
}
