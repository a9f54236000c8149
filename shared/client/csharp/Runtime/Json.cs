#nullable enable
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace RanchGame
{
    // Json reads and writes JSON without reflection. Objects are dictionaries, arrays lists, and whole numbers long.
    internal static class Json
    {
        private const int Deepest = 100;

        // Parse returns the value of a JSON text. It throws a FormatException if the text is not JSON.
        public static object? Parse(string text)
        {
            var reader = new Reader(text);
            var value = reader.Value(0);
            reader.End();
            return value;
        }

        // ParseOrNull returns the value of a JSON text, or null if the text is not JSON.
        public static object? ParseOrNull(string? text)
        {
            try
            {
                return text == null ? null : Parse(text);
            }
            catch (FormatException)
            {
                return null;
            }
        }

        // Object makes an object of alternating names and values.
        public static Dictionary<string, object?> Object(params object?[] namesAndValues)
        {
            var made = new Dictionary<string, object?>();
            for (var i = 0; i < namesAndValues.Length; i += 2) made[(string)namesAndValues[i]!] = namesAndValues[i + 1];
            return made;
        }

        public static string Write(object? value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        private static void Write(StringBuilder text, object? value)
        {
            switch (value)
            {
                case null: text.Append("null"); break;
                case bool flag: text.Append(flag ? "true" : "false"); break;
                case string words: WriteText(text, words); break;
                case Dictionary<string, object?> fields:
                    var before = '{';
                    foreach (var field in fields)
                    {
                        text.Append(before);
                        before = ',';
                        WriteText(text, field.Key);
                        text.Append(':');
                        Write(text, field.Value);
                    }
                    text.Append(before == '{' ? "{}" : "}");
                    break;
                case List<object?> items:
                    text.Append('[');
                    for (var i = 0; i < items.Count; i++)
                    {
                        if (i > 0) text.Append(',');
                        Write(text, items[i]);
                    }
                    text.Append(']');
                    break;
                case double number: text.Append(number.ToString("R", CultureInfo.InvariantCulture)); break;
                default: text.Append(Convert.ToString(value, CultureInfo.InvariantCulture)); break;
            }
        }

        private static void WriteText(StringBuilder text, string words)
        {
            text.Append('"');
            foreach (var c in words)
            {
                if (c == '"' || c == '\\') text.Append('\\').Append(c);
                else if (c < ' ') text.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else text.Append(c);
            }
            text.Append('"');
        }

        private sealed class Reader
        {
            private readonly string text;
            private int at;

            public Reader(string text) => this.text = text;

            public void End()
            {
                Next();
                if (at != text.Length) throw Wrong();
            }

            public object? Value(int depth)
            {
                if (depth > Deepest) throw Wrong();
                switch (Next())
                {
                    case '{': return Fields(depth + 1);
                    case '[': return Items(depth + 1);
                    case '"': return Text();
                    case 't': return Word("true", true);
                    case 'f': return Word("false", false);
                    case 'n': return Word("null", null);
                    default: return Number();
                }
            }

            private Dictionary<string, object?> Fields(int depth)
            {
                var fields = new Dictionary<string, object?>();
                for (var first = true; !Ends('}', first); first = false)
                {
                    if (Next() != '"') throw Wrong();
                    var name = Text();
                    if (Next() != ':') throw Wrong();
                    at++;
                    fields[name] = Value(depth);
                }
                return fields;
            }

            private List<object?> Items(int depth)
            {
                var items = new List<object?>();
                for (var first = true; !Ends(']', first); first = false) items.Add(Value(depth));
                return items;
            }

            // Ends skips an opening bracket or a comma (false), or the closing bracket (true).
            private bool Ends(char closing, bool first)
            {
                if (first) at++;
                var next = Next();
                if (next == closing)
                {
                    at++;
                    return true;
                }
                if (first) return false;
                if (next != ',') throw Wrong();
                at++;
                return false;
            }

            private string Text()
            {
                var made = new StringBuilder();
                for (at++; ; at++)
                {
                    var c = Peek();
                    if (c == '"')
                    {
                        at++;
                        return made.ToString();
                    }
                    if (c < ' ') throw Wrong();
                    made.Append(c == '\\' ? Escaped() : c);
                }
            }

            private char Escaped()
            {
                at++;
                switch (Peek())
                {
                    case 'b': return '\b';
                    case 'f': return '\f';
                    case 'n': return '\n';
                    case 'r': return '\r';
                    case 't': return '\t';
                    case '"': case '\\': case '/': return text[at];
                    case 'u':
                        if (at + 4 < text.Length &&
                            ushort.TryParse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var unit))
                        {
                            at += 4;
                            return (char)unit;
                        }
                        throw Wrong();
                    default: throw Wrong();
                }
            }

            private object? Word(string word, object? value)
            {
                if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Wrong();
                at += word.Length;
                return value;
            }

            private object Number()
            {
                var from = at;
                while ("+-.eE0123456789".IndexOf(Peek()) >= 0) at++;
                var digits = text.Substring(from, at - from);
                var unsigned = digits.TrimStart('-');
                if (unsigned.Length == 0 || unsigned[0] < '0' || unsigned[0] > '9' || digits.Length - unsigned.Length > 1) throw Wrong();
                if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var whole)) return whole;
                if (double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)) return number;
                throw Wrong();
            }

            // Next skips white space and returns the next character, or '\0' at the end.
            private char Next()
            {
                while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') at++;
                return Peek();
            }

            private char Peek() => at < text.Length ? text[at] : '\0';

            private FormatException Wrong() => new FormatException($"no JSON at character {at} of {text.Length}");
        }
    }

    // JsonObject reads fields by name. If a field is missing or null, the value is the default of its type. If a field
    // has another type, the method throws a FormatException.
    internal sealed class JsonObject
    {
        private readonly Dictionary<string, object?> fields;

        private JsonObject(Dictionary<string, object?> fields) => this.fields = fields;

        public static JsonObject Of(object? value) =>
            value is Dictionary<string, object?> fields ? new JsonObject(fields) : throw new FormatException("want an object");

        // Required returns a text. If the text is missing or empty, it throws a FormatException.
        public string Required(string name) => Text(name) is var text && text != "" ? text : throw Wrong(name, "a text");

        // RequiredNumber throws if the number is missing.
        public void RequiredNumber(string name)
        {
            if (NumberOrNull(name) == null) throw Wrong(name, "a number");
        }

        public override string ToString() => Json.Write(fields);

        // Identified throws if the object has no id.
        public JsonObject Identified() => Required("id") != "" ? this : throw Wrong("id", "a text");

        // Done throws unless the field success is true.
        public JsonObject Done() => Flag("success") ? this : throw Wrong("success", "true");

        public string Text(string name) => TextOrNull(name) ?? "";

        public string? TextOrNull(string name) => Reference<string>(name, "a text");

        public bool Flag(string name) => FlagOrNull(name) ?? false;

        public bool? FlagOrNull(string name) => Get(name) is var value && value == null ? (bool?)null : value is bool flag ? flag : throw Wrong(name, "true or false");

        public double Number(string name) => NumberOrNull(name) ?? 0;

        public double? NumberOrNull(string name)
        {
            switch (Get(name))
            {
                case null: return null;
                case long whole: return whole;
                case double number when !double.IsInfinity(number): return number;
                default: throw Wrong(name, "a number");
            }
        }

        public long Long(string name) => LongOrNull(name) ?? 0;

        public long? LongOrNull(string name) => WholeOrNull(name, long.MinValue, long.MaxValue);

        public int Int(string name) => IntOrNull(name) ?? 0;

        public int? IntOrNull(string name) => (int?)WholeOrNull(name, int.MinValue, int.MaxValue);

        public DateTimeOffset Time(string name) => TimeOrNull(name) ?? default;

        public DateTimeOffset? TimeOrNull(string name)
        {
            var text = TextOrNull(name);
            if (text == null) return null;
            return Instant.Parse(text) ?? throw Wrong(name, "a time");
        }

        // Object throws if the object is missing.
        public T Object<T>(string name, Func<JsonObject, T> read) where T : class => ObjectOrNull(name, read) ?? throw Wrong(name, "an object");

        public T? ObjectOrNull<T>(string name, Func<JsonObject, T> read) where T : class
        {
            var value = Reference<Dictionary<string, object?>>(name, "an object");
            return value == null ? null : read(new JsonObject(value));
        }

        // List throws if the list is missing.
        public IReadOnlyList<T> List<T>(string name, Func<JsonObject, T> read) =>
            List(Get(name), read);

        // List reads a list of objects.
        public static IReadOnlyList<T> List<T>(object? value, Func<JsonObject, T> read)
        {
            var items = value as List<object?> ?? throw new FormatException("want a list");
            var all = new List<T>(items.Count);
            foreach (var item in items) all.Add(read(Of(item)));
            return all;
        }

        // Sentences reads an object whose fields are lists of texts. It leaves out anything of another type.
        public IReadOnlyDictionary<string, IReadOnlyList<string>> Sentences(string name)
        {
            var all = new Dictionary<string, IReadOnlyList<string>>();
            if (!(Get(name) is Dictionary<string, object?> lists)) return all;
            foreach (var list in lists)
            {
                if (!(list.Value is List<object?> items)) continue;
                var sentences = new List<string>();
                foreach (var item in items) if (item is string sentence) sentences.Add(sentence);
                all[list.Key] = sentences;
            }
            return all;
        }

        private long? WholeOrNull(string name, long least, long most)
        {
            var number = NumberOrNull(name);
            if (number == null) return null;
            var value = Get(name);
            if (value is double d && Math.Floor(d) == d && Math.Abs(d) < 9e15) value = (long)d;
            return value is long whole && least <= whole && whole <= most ? whole : throw Wrong(name, "a whole number");
        }

        private T? Reference<T>(string name, string what) where T : class
        {
            var value = Get(name);
            return value == null ? null : value as T ?? throw Wrong(name, what);
        }

        private object? Get(string name) => fields.TryGetValue(name, out var value) ? value : null;

        private static FormatException Wrong(string name, string what) => new FormatException($"{name}: want {what}");
    }

    // Instant reads and writes times in RFC 3339 and UTC.
    internal static class Instant
    {
        public static DateTimeOffset? Parse(string text) =>
            DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out var time)
                ? time
                : (DateTimeOffset?)null;

        public static string Write(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
    }
}
