package linearizability

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// flat is what a value has at each place, but for what it does not export. What is empty is as good as absent.
type flat map[string]string

func flattened(v any) flat {
	f := flat{}
	f.add("", reflect.ValueOf(v))
	return f
}

// equal reports whether two values are the same to everybody outside this package.
func equal(a, b any) bool { return maps.Equal(flattened(a), flattened(b)) }

// differences returns a line for each place at which what is stored is not what follows from the rules.
func (follows flat) differences(stored flat) []string {
	places := maps.Clone(follows)
	maps.Copy(places, stored)
	var lines []string
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if stored[place] != follows[place] {
			lines = append(lines, fmt.Sprintf("%s is %s, not %s", place[1:], or(stored[place], "not there"), or(follows[place], "not there")))
		}
	}
	return lines
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (f flat) add(place string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.add(place, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Anonymous {
				f.add(place, v.Field(i))
			} else if field.IsExported() {
				f.add(place+"."+field.Name, v.Field(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			f[fmt.Sprintf("%s[%v]", place, k)] = "there"
			f.add(fmt.Sprintf("%s[%v]", place, k), v.MapIndex(k))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			f[fmt.Sprintf("%s[%d]", place, i)] = "there"
			f.add(fmt.Sprintf("%s[%d]", place, i), v.Index(i))
		}
	default:
		if !v.IsZero() {
			f[place] = fmt.Sprint(v.Interface())
		}
	}
}
