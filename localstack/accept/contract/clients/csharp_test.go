package clients

import "strings"

// csharp is a C# type, with the call that reads its value from a JsonObject. %q in the call is the property's name.
type csharp struct{ Kind, Read string }

// csharpType returns the C# type for a schema.
func (a api) csharpType(s schema) csharp {
	kind, null := a.kind(s)
	if of, list := strings.CutPrefix(kind, "[]"); list {
		return csharp{"IReadOnlyList<" + of + ">", "List(%q, child => new " + of + "(child))"}
	}
	c, simple := map[string]csharp{
		"Time": {"DateTimeOffset", "Time(%q)"}, "string": {"string", "Text(%q)"}, "number": {"double", "Number(%q)"}, "boolean": {"bool", "Flag(%q)"},
		"int32": {"int", "Int(%q)"}, "int64": {"long", "Long(%q)"},
	}[kind]
	if !simple {
		c = csharp{kind, "Object(%q, child => new " + kind + "(child))"}
	}
	if null {
		return csharp{c.Kind + "?", strings.Replace(c.Read, "(", "OrNull(", 1)}
	}
	return c
}

// summary returns a documentation comment, or "" for an empty text.
func summary(indent, text string) string {
	if text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.TrimSpace(text)); text == "" {
		return ""
	}
	return comment(indent+"/// ", "<summary>"+text+"</summary>")
}
