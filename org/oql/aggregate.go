package oql

import (
	"math"
	"math/big"
	"slices"

	"wb/internal/value"
)

// aggregate computes one aggregate over the values of a column. Rows without
// the column do not count, except for count without a field.
func aggregate(fn string, values []value.Value, rows int) value.Value {
	switch fn {
	case "count":
		return value.OfInt(int64(rows))
	case "count-distinct":
		seen := map[string]bool{}
		for _, v := range values {
			seen[plainText(v)] = true
		}
		return value.OfInt(int64(len(seen)))
	case "list":
		return value.OfList(slices.Clone(values)...)
	case "first", "last":
		if len(values) == 0 {
			return value.Nil()
		}
		if fn == "first" {
			return scalar(values[0])
		}
		return scalar(values[len(values)-1])
	}
	if v, ok := exact(fn, values); ok {
		return v
	}
	numbers := make([]float64, 0, len(values))
	for _, v := range values {
		if n, ok := number(v); ok {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return extremeText(fn, values)
	}
	return tidyNumber(summary(fn, numbers))
}

// exact answers where a number is too large for floating point to tell it from its
// neighbours, and all of them are integers.
func exact(fn string, values []value.Value) (value.Value, bool) {
	var whole []int64
	large := false
	for _, v := range values {
		text := plainText(v)
		if n, ok := parseWhole(text); ok {
			whole = append(whole, n)
			large = large || n > 1<<53 || n < -1<<53
		} else if _, ok := number(v); ok {
			return value.Value{}, false
		}
	}
	if !large {
		return value.Value{}, false
	}
	rank := map[string]float64{"p50": 0.50, "p95": 0.95, "p99": 0.99, "max": 1, "min": 0}
	if p, ok := rank[fn]; ok {
		slices.Sort(whole)
		return value.OfInt(whole[max(int(math.Ceil(p*float64(len(whole)))), 1)-1]), true
	}
	total := new(big.Int)
	for _, n := range whole {
		total.Add(total, big.NewInt(n))
	}
	if fn != "sum" || !total.IsInt64() {
		return value.Value{}, false
	}
	return value.OfInt(total.Int64()), true
}

func summary(fn string, numbers []float64) float64 {
	switch fn {
	case "min":
		return slices.Min(numbers)
	case "max":
		return slices.Max(numbers)
	case "p50":
		return percentile(numbers, 50)
	case "p95":
		return percentile(numbers, 95)
	case "p99":
		return percentile(numbers, 99)
	}
	total := 0.0
	for _, n := range numbers {
		total += n
	}
	if fn == "avg" {
		return total / float64(len(numbers))
	}
	return total
}

// percentile is the nearest-rank percentile: always a value that occurred. It
// reorders the numbers.
func percentile(numbers []float64, p float64) float64 {
	rank := int(math.Ceil(p / 100 * float64(len(numbers))))
	return selectNth(numbers, max(rank, 1)-1)
}

// selectNth is the n-th smallest number, found by partitioning, which takes
// linear time on average.
func selectNth(a []float64, n int) float64 {
	lo, hi := 0, len(a)-1
	for lo < hi {
		pivot := median(a[lo], a[lo+(hi-lo)/2], a[hi])
		i, j := lo, hi
		for i <= j {
			for a[i] < pivot {
				i++
			}
			for a[j] > pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return a[n]
		}
	}
	return a[n]
}

func median(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// extremeText is min and max of values that are not numbers, such as dates.
func extremeText(fn string, values []value.Value) value.Value {
	if len(values) == 0 || fn != "min" && fn != "max" {
		if fn == "sum" {
			return value.OfInt(0)
		}
		return value.Nil()
	}
	best := plainText(values[0])
	for _, v := range values[1:] {
		if text := plainText(v); text < best == (fn == "min") && text != best {
			best = text
		}
	}
	return value.OfString(best)
}

// tidyNumber is an integer where nothing is lost by it.
func tidyNumber(x float64) value.Value {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return value.OfInt(int64(x))
	}
	return value.OfFloat(x)
}
