package main

import (
	"fmt"
	"slices"
	"strings"
)

// sent lists the objects that callers fill in. Their classes have setters. Such objects never occur in responses.
var sent = []string{"Registration"}

// csharpSource returns the source of C# classes that read each of their fields from JSON by its name. They do not use
// reflection, because Unity's IL2CPP strips code that only reflection uses.
func csharpSource(a api) ([]byte, error) {
	var b strings.Builder
	b.WriteString(header + "#nullable enable\nusing System;\nusing System.Collections.Generic;\nusing System.Threading;\nusing System.Threading.Tasks;\n\n")
	b.WriteString("namespace RanchGame\n{\n    public static partial class Code\n    {\n")
	for _, code := range a.codes {
		fmt.Fprintf(&b, "        public const string %s = %q;\n", codeName(code), code)
	}
	b.WriteString("    }\n\n    public sealed partial class RanchClient\n    {\n")
	for i, r := range a.reads {
		if i > 0 {
			b.WriteString("\n")
		}
		of, read := r.of, "GetAsync"
		if r.list {
			of, read = "IReadOnlyList<"+of+">", "ListAsync"
		}
		summary(&b, "        ", r.path+": "+r.text)
		fmt.Fprintf(&b, "        public Task<%s> %sAsync(CancellationToken cancel = default) =>\n            %s(%q, json => new %s(json), cancel);\n",
			of, r.name, read, r.path, r.of)
	}
	b.WriteString("    }\n")
	for _, n := range a.names {
		b.WriteString("\n")
		a.class(&b, n)
	}
	b.WriteString("}\n")
	return []byte(b.String()), nil
}

// class writes a schema as a class.
func (a api) class(b *strings.Builder, name string) {
	s, isSent := a.schemas[name], slices.Contains(sent, name)
	summary(b, "    ", s.Description)
	fmt.Fprintf(b, "    public sealed class %s\n    {\n", name)
	reads := ""
	for _, p := range properties(s) {
		if p.name == absence[name] {
			continue
		}
		kind, read := a.csharpType(p.schema)
		field := pascal(p.name)
		summary(b, "        ", p.Description)
		if isSent {
			fmt.Fprintf(b, "        public %s %s { get; set; } = \"\";\n", kind, field)
			continue
		}
		fmt.Fprintf(b, "        public %s %s { get; }\n", kind, field)
		reads += fmt.Sprintf("            %s = json.%s;\n", field, fmt.Sprintf(read, p.name))
	}
	if slices.Contains(resolvable, name) {
		summary(b, "        ", "True if the answer got lost and the client looked the change up. It may be older than the call.")
		b.WriteString("        public bool Resolved { get; }\n")
		fmt.Fprintf(b, "\n        internal %s(JsonObject json, bool resolved)\n        {\n%s            Resolved = resolved;\n        }\n", name, reads)
	} else if !isSent {
		fmt.Fprintf(b, "\n        internal %s(JsonObject json)\n        {\n%s        }\n", name, reads)
	}
	b.WriteString("    }\n")
}

// csharpType returns the C# type for a schema. It also returns the call that reads a value from a JsonObject, in which
// %q stands for the property's name.
func (a api) csharpType(s schema) (kind, read string) {
	if n := name(s); n != "" {
		switch target := a.schemas[n]; {
		case n == "Time":
			return "DateTimeOffset", "Time(%q)"
		case n == "TimeOrNull":
			return "DateTimeOffset?", "TimeOrNull(%q)"
		case target.Type == "object":
			return n, "Object(%q, child => new " + n + "(child))"
		default:
			return a.csharpType(target)
		}
	}
	if len(s.AnyOf) == 2 { // something, or null
		kind, read = a.csharpType(s.AnyOf[0])
		return kind + "?", strings.Replace(read, "(", "OrNull(", 1)
	}
	switch kind := s.Type.(type) {
	case string:
		switch kind {
		case "array":
			of := name(*s.Items)
			return "IReadOnlyList<" + of + ">", "List(%q, child => new " + of + "(child))"
		case "string":
			return "string", "Text(%q)"
		case "number":
			return "double", "Number(%q)"
		case "boolean":
			return "bool", "Flag(%q)"
		case "integer":
			if s.Format == "int32" {
				return "int", "Int(%q)"
			}
			return "long", "Long(%q)"
		}
	case []any: // something, or null
		s.Type = kind[0]
		what, read := a.csharpType(s)
		return what + "?", strings.Replace(read, "(", "OrNull(", 1)
	}
	panic(fmt.Sprintf("no C# type for %+v", s))
}

// summary writes a documentation comment, unless the text is empty.
func summary(b *strings.Builder, indent, text string) {
	if text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.TrimSpace(text)); text != "" {
		b.WriteString(comment(indent+"/// ", "<summary>"+text+"</summary>"))
	}
}
