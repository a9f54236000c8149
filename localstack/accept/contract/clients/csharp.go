package main

import (
	"fmt"
	"strings"
)

// csharp is a C# type, with the call that reads a value from a JsonObject, in which %q stands for the property's name.
type csharp struct{ Kind, Read string }

func (c csharp) orNull() csharp {
	return csharp{c.Kind + "?", strings.Replace(c.Read, "(", "OrNull(", 1)}
}

// csharpType returns the C# type for a schema.
func (a api) csharpType(s schema) csharp {
	if n := name(s); n != "" {
		switch target := a.schemas[n]; {
		case n == "Time":
			return csharp{"DateTimeOffset", "Time(%q)"}
		case n == "TimeOrNull":
			return csharp{"DateTimeOffset?", "TimeOrNull(%q)"}
		case target.Type == "object":
			return csharp{n, "Object(%q, child => new " + n + "(child))"}
		default:
			return a.csharpType(target)
		}
	}
	if len(s.AnyOf) == 2 { // something, or null
		return a.csharpType(s.AnyOf[0]).orNull()
	}
	switch kind := s.Type.(type) {
	case string:
		switch kind {
		case "array":
			of := name(*s.Items)
			return csharp{"IReadOnlyList<" + of + ">", "List(%q, child => new " + of + "(child))"}
		case "string":
			return csharp{"string", "Text(%q)"}
		case "number":
			return csharp{"double", "Number(%q)"}
		case "boolean":
			return csharp{"bool", "Flag(%q)"}
		case "integer":
			if s.Format == "int32" {
				return csharp{"int", "Int(%q)"}
			}
			return csharp{"long", "Long(%q)"}
		}
	case []any: // something, or null
		s.Type = kind[0]
		return a.csharpType(s).orNull()
	}
	panic(fmt.Sprintf("no C# type for %+v", s))
}

// summary returns a documentation comment, or "" for an empty text.
func summary(indent, text string) string {
	if text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.TrimSpace(text)); text == "" {
		return ""
	}
	return comment(indent+"/// ", "<summary>"+text+"</summary>")
}
