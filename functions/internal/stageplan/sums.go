package stageplan

import "math"

// sums is a lower bound on the sum of one of each of two skylines: the skyline of all sums,
// coarsened.
func (s *searcher) sums(a, b []least) []least {
	if len(a) > len(b) {
		a, b = b, a
	}
	all := s.union(min(len(a)*len(b), usualUnion))
	for _, by := range a {
		all.add(b, by)
	}
	return s.coarsened(all.points)
}

// union is the skyline of many.
type union struct{ points, spare []least }

// usualUnion is how many points one has usually, at most.
const usualUnion = 256

// union is an empty one, with room for so many points.
func (s *searcher) union(n int) union {
	return union{s.room.leasts.Empty(n), s.room.leasts.Empty(n)}
}

// add adds a skyline that lies so much later and dearer.
func (u *union) add(points []least, by least) {
	u.points, u.spare = joined(u.spare[:0], u.points, points, by), u.points
}

// joined appends to a list the skyline of two, the second of them later and dearer.
func joined(list, a, b []least, by least) []least {
	i, soonest := 0, int64(math.MaxInt64)
	for _, next := range b {
		next.Cost, next.Seconds = sum(next.Cost, by.Cost), next.Seconds+by.Seconds
		for i < len(a) && (a[i].Cost < next.Cost || a[i].Cost == next.Cost && a[i].Seconds <= next.Seconds) {
			if a[i].Seconds < soonest {
				soonest = a[i].Seconds
				list = append(list, a[i])
			}
			i++
		}
		if next.Seconds < soonest {
			soonest = next.Seconds
			list = append(list, next)
		}
	}
	for ; i < len(a); i++ {
		if a[i].Seconds < soonest {
			return append(list, a[i:]...)
		}
	}
	return list
}

// coarse is the most points that a bound on several stages has.
const coarse = 32

// coarsened replaces neighbours by what both take at least until few points are left.
func (s *searcher) coarsened(points []least) []least {
	if len(points) <= coarse {
		return points
	}
	out := s.room.leasts.Empty(coarse)
	for i := range coarse {
		from, to := i*len(points)/coarse, (i+1)*len(points)/coarse
		out = append(out, least{Cost: points[from].Cost, Seconds: points[to-1].Seconds})
	}
	return out
}
