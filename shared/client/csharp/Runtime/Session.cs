#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>The tokens that keep a player logged in. Anyone who has them can act as the player: protect them like a
    /// password.</summary>
    public sealed class Session
    {
        /// <summary>The base URL. A client ignores sessions of other services.</summary>
        public string Api { get; private set; } = "";
        public string UserId { get; private set; } = "";
        public string Username { get; private set; } = "";
        /// <summary>The access token.</summary>
        public string Token { get; private set; } = "";
        public string RefreshToken { get; private set; } = "";
        /// <summary>When the access token came, by this machine's clock.</summary>
        public DateTimeOffset ReceivedAt { get; private set; }
        /// <summary>The lifetime of the access token: exp - iat; zero if the token has no such times.</summary>
        public TimeSpan Lifetime { get; private set; }
        /// <summary>How far the service's clock is ahead of this machine's.</summary>
        public TimeSpan Ahead { get; private set; }
        /// <summary>The time of the first of consecutive doubtful refusals (see Verdict).</summary>
        public DateTimeOffset? RefusedSince { get; private set; }
        /// <summary>The time of the last of consecutive doubtful refusals.</summary>
        public DateTimeOffset? RefusedLast { get; private set; }

        private Session() { }

        internal static Session Start(string api, string userId, string username, string refreshToken) =>
            new Session { Api = api, UserId = userId, Username = username, RefreshToken = refreshToken };

        // Received returns the session with a new access token. If the token has no times, the client uses it until the
        // service refuses it.
        internal Session Received(string token, DateTimeOffset now, TimeSpan knownAhead)
        {
            var next = Undoubted().Copy();
            var times = TokenTimes.Of(token);
            (next.Token, next.ReceivedAt) = (token, now);
            (next.Lifetime, next.Ahead) = times == null ? (TimeSpan.Zero, knownAhead) : (times.Value.Lifetime, times.Value.IssuedAt - now);
            return next;
        }

        // Doubted returns the session with the times of doubtful refusals.
        internal Session Doubted(DateTimeOffset since, DateTimeOffset last)
        {
            var next = Copy();
            (next.RefusedSince, next.RefusedLast) = (since, last);
            return next;
        }

        // Undoubted returns the session without these times. If it has none, the result is the same object.
        internal Session Undoubted()
        {
            if (RefusedSince == null && RefusedLast == null) return this;
            var next = Copy();
            (next.RefusedSince, next.RefusedLast) = (null, null);
            return next;
        }

        private Session Copy() => (Session)MemberwiseClone();

        /// <summary>Returns the player and the service, without tokens.</summary>
        public override string ToString() => $"session of {Username} at {Api}";

        /// <summary>Returns the stored form, with the tokens. All clients of the API can read it.</summary>
        public string ToJson()
        {
            var fields = Json.Object(
                "api", Api, "userId", UserId, "username", Username, "token", Token, "refreshToken", RefreshToken,
                "receivedAt", Instant.Write(ReceivedAt), "lifetimeMs", (long)Lifetime.TotalMilliseconds, "aheadMs", (long)Ahead.TotalMilliseconds);
            if (RefusedSince != null) fields["refusedSince"] = Instant.Write(RefusedSince.Value);
            if (RefusedLast != null) fields["refusedLast"] = Instant.Write(RefusedLast.Value);
            return Json.Write(fields);
        }

        /// <summary>Reads the stored form. For any other text, it returns null.</summary>
        public static Session? Parse(string? text)
        {
            try
            {
                var json = JsonObject.Of(Json.ParseOrNull(text));
                return new Session
                {
                    Api = json.Required("api"),
                    UserId = json.Required("userId"),
                    Username = json.Required("username"),
                    Token = TokenTimes.Required(json, "token"),
                    RefreshToken = TokenTimes.Required(json, "refreshToken"),
                    ReceivedAt = json.TimeOrNull("receivedAt") ?? throw new FormatException(),
                    Lifetime = Span(json, "lifetimeMs"),
                    Ahead = Span(json, "aheadMs"),
                    RefusedSince = json.TimeOrNull("refusedSince"),
                    RefusedLast = json.TimeOrNull("refusedLast"),
                };
            }
            catch (FormatException)
            {
                return null;
            }
        }

        private static TimeSpan Span(JsonObject json, string name)
        {
            const double Most = 9e12; // clocks differ by less
            var milliseconds = json.NumberOrNull(name) ?? double.NaN;
            return Math.Abs(milliseconds) <= Most ? TimeSpan.FromMilliseconds(milliseconds) : throw new FormatException($"{name}: {milliseconds}");
        }
    }

    /// <summary>Keeps a session. Clients that share a store share the session: if one refreshes the token, all use the
    /// new token. If the store throws, the client keeps the session in memory.</summary>
    public interface ISessionStore
    {
        /// <summary>Returns the session, or null if the store has none.</summary>
        Task<Session?> LoadAsync();

        /// <summary>Replaces the session by the result of change. If change returns null, it removes the session. If
        /// change returns its argument, the session stays as it is. The update is atomic among all clients that share
        /// the store. It calls change once at most, and change is quick.</summary>
        Task UpdateAsync(Func<Session?, Session?> change);

        /// <summary>Waits until no other client that shares the store holds the lock. Disposing the result releases the
        /// lock. A client holds it during a refresh. UpdateAsync must not wait for it.</summary>
        Task<IDisposable> LockAsync(CancellationToken cancel);
    }

    /// <summary>Keeps a session as long as the process lives.</summary>
    public sealed class MemoryStore : ISessionStore
    {
        private readonly Turn turn = new Turn();
        private readonly object gate = new object();
        private Session? session;

        public Task<Session?> LoadAsync()
        {
            lock (gate) return Task.FromResult(session);
        }

        public Task UpdateAsync(Func<Session?, Session?> change)
        {
            lock (gate) session = change(session);
            return Task.CompletedTask;
        }

        public Task<IDisposable> LockAsync(CancellationToken cancel) => turn.TakeAsync(cancel);
    }

    public enum SessionEventKind
    {
        /// <summary>The player registered or logged in.</summary>
        SessionStarted,
        /// <summary>There is a new access token.</summary>
        SessionRefreshed,
        /// <summary>The player logged out, or the service ended the session: log in again.</summary>
        SessionEnded,
        /// <summary>A call got no answer; the session stays.</summary>
        Unreachable,
        /// <summary>The first answer after Unreachable.</summary>
        Reachable,
    }

    /// <summary>A change of the session or of the connection. The client reports each once, one at a time.</summary>
    public sealed class SessionEvent
    {
        public SessionEventKind Kind { get; }
        /// <summary>Why a session ended.</summary>
        public EndReason Reason { get; }

        internal SessionEvent(SessionEventKind kind, EndReason reason = EndReason.None) => (Kind, Reason) = (kind, reason);
    }
}
