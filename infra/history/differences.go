package history

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// equal reports whether two values are the same to everybody outside this package.
func equal(a, b any) bool { return len(differences(a, b)) == 0 }

// differences returns a line for each place at which what is stored is not what follows from the rules.
func differences(follows, stored any) []string {
	want, got := map[string]string{}, map[string]string{}
	flatten(want, "", reflect.ValueOf(follows))
	flatten(got, "", reflect.ValueOf(stored))
	var lines []string
	for _, place := range slices.Sorted(maps.Keys(both(want, got))) {
		if want[place] != got[place] {
			lines = append(lines, fmt.Sprintf("%s is %s, not %s", place[1:], or(got[place], "not there"), or(want[place], "not there")))
		}
	}
	return lines
}

func both(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// flatten adds what a value has at each place, but for what it does not export. What is empty is as good as absent.
func flatten(into map[string]string, place string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			flatten(into, place, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Anonymous {
				flatten(into, place, v.Field(i))
			} else if f.IsExported() {
				flatten(into, place+"."+f.Name, v.Field(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			into[fmt.Sprintf("%s[%v]", place, k)] = "there"
			flatten(into, fmt.Sprintf("%s[%v]", place, k), v.MapIndex(k))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			into[fmt.Sprintf("%s[%d]", place, i)] = "there"
			flatten(into, fmt.Sprintf("%s[%d]", place, i), v.Index(i))
		}
	default:
		if !v.IsZero() {
			into[place] = fmt.Sprint(v.Interface())
		}
	}
}
