#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>What keeps a player logged in. Whoever has it can be the player: keep it where passwords are kept.</summary>
    public sealed class Session
    {
        /// <summary>The base URL; a session of another service is none.</summary>
        public string Api { get; private set; } = "";
        public string UserId { get; private set; } = "";
        public string Username { get; private set; } = "";
        /// <summary>The access token.</summary>
        public string Token { get; private set; } = "";
        public string RefreshToken { get; private set; } = "";
        /// <summary>When the access token came, by this machine's clock.</summary>
        public DateTimeOffset ReceivedAt { get; private set; }
        /// <summary>Of the access token: exp - iat. Zero if the token does not tell.</summary>
        public TimeSpan Lifetime { get; private set; }
        /// <summary>How far the service's clock is ahead of this machine's.</summary>
        public TimeSpan Ahead { get; private set; }
        /// <summary>When the first answer came of an unbroken row of refusals that may be failures of the service's own.</summary>
        public DateTimeOffset? RefusedSince { get; private set; }
        /// <summary>When the last of them came.</summary>
        public DateTimeOffset? RefusedLast { get; private set; }

        private Session() { }

        internal static Session Start(string api, string userId, string username, string refreshToken) =>
            new Session { Api = api, UserId = userId, Username = username, RefreshToken = refreshToken };

        // Received returns the session with an access token that has just come. A token that tells no times is used until
        // it is refused.
        internal Session Received(string token, DateTimeOffset now, TimeSpan knownAhead)
        {
            var next = Undoubted().Copy();
            var times = TokenTimes.Of(token);
            (next.Token, next.ReceivedAt) = (token, now);
            (next.Lifetime, next.Ahead) = times == null ? (TimeSpan.Zero, knownAhead) : (times.Value.Lifetime, times.Value.IssuedAt - now);
            return next;
        }

        // Doubted returns the session with the note of a refusal.
        internal Session Doubted(DateTimeOffset since, DateTimeOffset last)
        {
            var next = Copy();
            (next.RefusedSince, next.RefusedLast) = (since, last);
            return next;
        }

        // Undoubted returns the session without such notes: itself if it has none.
        internal Session Undoubted()
        {
            if (RefusedSince == null && RefusedLast == null) return this;
            var next = Copy();
            (next.RefusedSince, next.RefusedLast) = (null, null);
            return next;
        }

        private Session Copy() => (Session)MemberwiseClone();

        /// <summary>Names the session, and none of its secrets.</summary>
        public override string ToString() => $"session of {Username} at {Api}";

        /// <summary>The stored form, with the secrets. All clients of the API read it.</summary>
        public string ToJson()
        {
            var fields = Json.Object(
                "api", Api, "userId", UserId, "username", Username, "token", Token, "refreshToken", RefreshToken,
                "receivedAt", Instant.Write(ReceivedAt), "lifetimeMs", (long)Lifetime.TotalMilliseconds, "aheadMs", (long)Ahead.TotalMilliseconds);
            if (RefusedSince != null) fields["refusedSince"] = Instant.Write(RefusedSince.Value);
            if (RefusedLast != null) fields["refusedLast"] = Instant.Write(RefusedLast.Value);
            return Json.Write(fields);
        }

        /// <summary>Reads the stored form; null for anything else.</summary>
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
            const double Most = 9e12; // more than clocks differ by
            var milliseconds = json.NumberOrNull(name) ?? double.NaN;
            return Math.Abs(milliseconds) <= Most ? TimeSpan.FromMilliseconds(milliseconds) : throw new FormatException($"{name}: {milliseconds}");
        }
    }

    /// <summary>Keeps a session. Clients that share a store share the session: what one refreshes, the others use. A client
    /// whose store throws goes on with what it knows.</summary>
    public interface ISessionStore
    {
        /// <summary>Null if there is no session.</summary>
        Task<Session?> LoadAsync();

        /// <summary>Keeps what change makes of the session; null removes it, and the one it was given is left as it is.
        /// Nobody else who shares the store updates it in between. Change is called once at most, and is quick.</summary>
        Task UpdateAsync(Func<Session?, Session?> change);

        /// <summary>Waits until nobody else who shares the store holds the lock. Disposing gives it up. It is held while the
        /// session is refreshed, over the network; UpdateAsync does not wait for it.</summary>
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
        /// <summary>Registered, or logged in.</summary>
        SessionStarted,
        /// <summary>A new access token.</summary>
        SessionRefreshed,
        /// <summary>Logged out, or refused for good: log in again.</summary>
        SessionEnded,
        /// <summary>A call has failed for want of an answer; the session stays.</summary>
        Unreachable,
        /// <summary>The first answer since.</summary>
        Reachable,
    }

    /// <summary>What became of the session, each once, one at a time.</summary>
    public sealed class SessionEvent
    {
        public SessionEventKind Kind { get; }
        /// <summary>Why a session ended.</summary>
        public EndReason Reason { get; }

        internal SessionEvent(SessionEventKind kind, EndReason reason = EndReason.None) => (Kind, Reason) = (kind, reason);
    }
}
