package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/aoa-dev/aoa/scripts/recorded"
)

// macro is the mean over repositories: each counts the same, however much was recorded of it.
func macro(repos []Repo, scores []*score) Macro {
	m := Macro{Repos: len(repos), Intervals: intervals(scores)}
	own := make([]Tasks, len(repos))
	for i, r := range repos {
		own[i] = r.Tasks
	}
	m.Tasks = meanTasks(own)
	for _, b := range names {
		var of []Tasks
		for _, r := range repos {
			if t, ok := r.Baselines[b]; ok {
				of = append(of, t)
			}
		}
		if len(of) > 0 {
			if m.Baselines == nil {
				m.Baselines = map[string]Tasks{}
			}
			m.Baselines[b] = meanTasks(of)
		}
	}
	return m
}

func meanTasks(all []Tasks) Tasks {
	pointers := make([]*Tasks, len(all))
	for i := range all {
		pointers[i] = &all[i]
	}
	return *mean(pointers)
}

// mean is the mean of measures: counts are added up, shares are averaged, bars and curves are joined. A share whose
// field has the tag of:"Field" is averaged over those that have one: where nothing was shown there is no precision.
func mean[T any](all []*T) *T {
	out := new(T)
	to := reflect.ValueOf(out).Elem()
	for i := range to.NumField() {
		meanField(to.Field(i), to.Type().Field(i), i, reflect.ValueOf(all))
	}
	return out
}

// meanField sets the field with a number to the mean of the fields of all, which is a slice of pointers to structures.
func meanField(to reflect.Value, field reflect.StructField, number int, all reflect.Value) {
	var values []reflect.Value // of those that have the field
	for k := range all.Len() {
		from := all.Index(k).Elem()
		if need := field.Tag.Get("of"); need == "" || !from.FieldByName(need).IsZero() {
			values = append(values, from.Field(number))
		}
	}
	switch to.Interface().(type) {
	case int:
		for _, v := range values {
			to.SetInt(to.Int() + v.Int())
		}
	case float64:
		sum := 0.0
		for _, v := range values {
			sum += v.Float()
		}
		to.SetFloat(sum / float64(max(len(values), 1)))
	case []Bar:
		to.Set(reflect.ValueOf(pool(values)))
	case []Point:
		to.Set(reflect.ValueOf(join(values)))
	default:
		values = slices.DeleteFunc(values, func(v reflect.Value) bool { return v.IsNil() })
		if len(values) == 0 {
			return
		}
		present := reflect.MakeSlice(reflect.SliceOf(to.Type()), 0, len(values))
		part := reflect.New(to.Type().Elem())
		for k := range part.Elem().NumField() {
			meanField(part.Elem().Field(k), part.Elem().Type().Field(k), k, reflect.Append(present, values...))
		}
		to.Set(part)
	}
}

// pool joins the bars of all.
func pool(all []reflect.Value) (out []Bar) {
	for i, first := range all[0].Interface().([]Bar) {
		b := Bar{From: first.From}
		for _, bars := range all {
			o := bars.Interface().([]Bar)[i]
			b.N, b.P, b.Used = b.N+o.N, b.P+o.N*o.P, b.Used+o.N*o.Used
		}
		b.P, b.Used = b.P/max(b.N, 1), b.Used/max(b.N, 1)
		out = append(out, b)
	}
	return out
}

// join joins the curves of all.
func join(all []reflect.Value) (out []Point) {
	for i, first := range all[0].Interface().([]Point) {
		p, used := Point{Threshold: first.Threshold}, 0.0
		for _, curve := range all {
			o := curve.Interface().([]Point)[i]
			p.N, p.Coverage, used = p.N+o.N, p.Coverage+o.Coverage, used+o.N*o.Precision
		}
		p.Coverage, p.Precision = p.Coverage/float64(len(all)), used/max(p.N, 1)
		out = append(out, p)
	}
	return out
}

// intervals are 95 % intervals of the macro means.
func intervals(scores []*score) map[string]map[string][2]float64 {
	samples := map[metric][][]recorded.Ratio{} // per repository the clusters that had the metric
	for i, s := range scores {
		for _, name := range slices.Sorted(maps.Keys(s.clusters)) {
			for m, r := range s.clusters[name] {
				if samples[m] == nil {
					samples[m] = make([][]recorded.Ratio, len(scores))
				}
				samples[m][i] = append(samples[m][i], r)
			}
		}
	}
	out := map[string]map[string][2]float64{}
	for m, repos := range samples {
		repos = slices.DeleteFunc(repos, func(c []recorded.Ratio) bool { return len(c) == 0 })
		if out[m.task] == nil {
			out[m.task] = map[string][2]float64{}
		}
		out[m.task][m.name] = recorded.Interval(repos)
	}
	return out
}
