package stageplan

import "slices"

// inOrder sorts a list that is about in order already: as long as what is out of its place has
// not far to go, moving it there takes less than any other way to sort.
func inOrder[T any](list []T, compare func(a, b T) int) {
	patience := 4 * len(list)
	for i := 1; i < len(list); i++ {
		moving, to := list[i], i
		for to > 0 && compare(list[to-1], moving) > 0 {
			list[to] = list[to-1]
			to--
		}
		list[to] = moving
		if patience -= i - to; patience < 0 {
			slices.SortFunc(list, compare)
			return
		}
	}
}
