package aggregate

// student975 are the 0.975 quantiles of Student's t distribution for 1 to 30 degrees
// of freedom.
var student975 = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// quantileT is the 0.975 quantile for some degrees of freedom, at least 1. Beyond the
// table it is the first terms of the expansion in 1/df (Fisher and Cornish).
func quantileT(df int) float64 {
	if df <= len(student975) {
		return student975[df-1]
	}
	const normal = 1.959964
	const first, second = (normal*normal*normal + normal) / 4, (5*normal*normal*normal*normal*normal + 16*normal*normal*normal + 3*normal) / 96
	n := float64(df)
	return normal + first/n + second/(n*n)
}
