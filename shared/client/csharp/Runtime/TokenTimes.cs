#nullable enable
using System;

namespace RanchGame
{
    // TokenTimes are the times in an access token, which the client does not verify. They only say when to refresh.
    internal struct TokenTimes
    {
        private const double Longest = 2147483648; // in seconds

        public DateTimeOffset IssuedAt;
        public TimeSpan Lifetime;

        // IsToken reports whether a text has the form of a token: three parts of base64url with dots between.
        public static bool IsToken(string text)
        {
            var parts = text.Split('.');
            if (parts.Length != 3) return false;
            foreach (var part in parts)
            {
                if (part == "") return false;
                foreach (var c in part)
                    if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')) return false;
            }
            return true;
        }

        // Required reads a token. If the field is not a token, it throws a FormatException.
        public static string Required(JsonObject json, string name) =>
            json.Text(name) is var text && IsToken(text) ? text : throw new FormatException($"{name}: want a token");

        // Of returns the times of a token. If the token lacks these times or they are impossible, it returns null.
        public static TokenTimes? Of(string token)
        {
            try
            {
                var payload = token.Split('.')[1].Replace('-', '+').Replace('_', '/');
                var bytes = Convert.FromBase64String(payload.PadRight((payload.Length + 3) / 4 * 4, '='));
                var claims = JsonObject.Of(Json.Parse(System.Text.Encoding.UTF8.GetString(bytes)));
                double issued = claims.Number("iat"), lifetime = claims.Number("exp") - issued;
                if (!(issued > 0 && issued < 100 * Longest && lifetime > 0 && lifetime < Longest)) return null;
                return new TokenTimes { IssuedAt = DateTimeOffset.UnixEpoch.AddSeconds(issued), Lifetime = TimeSpan.FromSeconds(lifetime) };
            }
            catch (Exception error) when (error is FormatException || error is ArgumentException)
            {
                return null;
            }
        }
    }
}
