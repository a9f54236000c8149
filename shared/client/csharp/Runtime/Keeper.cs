#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Keeper keeps a player logged in: it has the session, and refreshes its access token in time. Calls share a
    // refresh.
    internal sealed class Keeper
    {
        private static readonly TimeSpan margin = TimeSpan.FromMinutes(1); // how long before its end the client refreshes an access token

        private readonly Wire wire;
        private readonly Patience patience;
        private readonly Told told;
        private readonly TimeSpan timeout;
        private readonly Func<DateTimeOffset> now;
        private readonly Sturdy store;
        private readonly Turn turn = new Turn(); // all work with the store, except for waiting for its lock

        private readonly object gate = new object(); // guards the fields below
        private Flight? flight;
        private TimeSpan ahead;
        private EndReason endedBy = EndReason.None;

        public Keeper(Sturdy store, Wire wire, Patience patience, Told told, TimeSpan timeout, Func<DateTimeOffset> now)
        {
            (this.store, this.wire, this.patience, this.told, this.timeout, this.now) = (store, wire, patience, told, timeout, now);
            _ = LoadAsync(); // for ServerTime
        }

        public DateTimeOffset ServerTime()
        {
            lock (gate) return now() + ahead;
        }

        public async Task<Session?> LoadAsync()
        {
            using (await turn.TakeAsync())
            {
                var session = await store.LoadAsync();
                if (session != null) lock (gate) ahead = session.Ahead;
                return session;
            }
        }

        // StartAsync replaces the client's session by a new one of the user. If own is true, it does so only if the
        // session is the user's, or there is none: another player may have logged in meanwhile.
        public async Task StartAsync(string userId, string username, string token, string refreshToken, bool own = false)
        {
            Abandon();
            var session = Received(Session.Start(wire.Api, userId, username, refreshToken), token);
            await UpdateAsync(current =>
                own && current != null && current.UserId != userId ? null : new Made(session, new SessionEvent(SessionEventKind.SessionStarted)));
        }

        // EndAsync ends the session here. It returns the ended session, and the store's error or null.
        public async Task<(Session? session, Exception? failure)> EndAsync()
        {
            Abandon();
            Session? session = null;
            var failure = await UpdateAsync(current =>
            {
                session = current;
                return current == null ? null : Made.Ended(EndReason.Logout);
            });
            return (session, failure);
        }

        // CurrentAsync returns the session with a fresh access token. If a player is given and the session is not
        // theirs, it throws. If a refused token is given, the session has another token.
        public async Task<Session> CurrentAsync(string? player, string? refused, CancellationToken cancel)
        {
            for (; ; )
            {
                var stored = await LoadAsync().UnlessCancelled(cancel);
                player = player ?? stored?.UserId;
                if (stored == null || stored.UserId != player) throw Ended();
                if (stored.Token != refused && !IsOld(stored)) return stored;
                var renewed = await RefreshAsync(stored, cancel);
                if (renewed != null) return renewed;
            }
        }

        // Ended returns the error of a call that has no session.
        private SessionEndedException Ended()
        {
            lock (gate) return new SessionEndedException(endedBy);
        }

        // IsOld reports whether to refresh the token. A token from the future is old, too: the clock was set back, so
        // the token's age and Ahead are wrong.
        private bool IsOld(Session session)
        {
            var age = now() - session.ReceivedAt;
            var early = margin < session.Lifetime / 10 ? margin : session.Lifetime / 10;
            return session.Lifetime > TimeSpan.Zero && (age < TimeSpan.Zero || session.Lifetime - age < early);
        }

        // RefreshAsync shares one refresh among concurrent calls. If a call is cancelled, only that call stops waiting.
        // The last one cancels the refresh. If the session has changed, the result is null: the caller loads it again.
        private async Task<Session?> RefreshAsync(Session stale, CancellationToken cancel)
        {
            Flight mine;
            Flight? overtaken = null;
            var begins = false;
            lock (gate)
            {
                if (flight != null && flight.RefreshToken != stale.RefreshToken) (overtaken, flight) = (flight, null);
                if (flight == null) (flight, begins) = (new Flight(stale.RefreshToken), true);
                mine = flight;
                mine.Waiting++;
            }
            overtaken?.Abandoned.Cancel();
            if (begins) _ = FlyAsync(mine, stale);
            try
            {
                return await mine.Landed.Task.UnlessCancelled(cancel);
            }
            finally
            {
                bool isLast;
                lock (gate) isLast = --mine.Waiting == 0;
                if (isLast)
                {
                    Land(mine);
                    mine.Abandoned.Cancel();
                }
            }
        }

        private async Task FlyAsync(Flight mine, Session stale)
        {
            var cancel = mine.Abandoned.Token;
            try
            {
                Session? renewed;
                // An abandoned flight releases the lock at once, although its request may still be on the way.
                using (await store.LockAsync(timeout + timeout, cancel)) renewed = await RenewAsync(stale, cancel).UnlessCancelled(cancel);
                Land(mine);
                mine.Landed.TrySetResult(renewed);
            }
            catch (Exception error)
            {
                Land(mine);
                if (cancel.IsCancellationRequested) mine.Landed.TrySetResult(null);
                else mine.Landed.TrySetException(error);
            }
        }

        // Abandon cancels the refresh under way, which from now on changes nothing and reports nothing.
        private void Abandon()
        {
            Flight? abandoned;
            lock (gate) (abandoned, flight) = (flight, null);
            abandoned?.Abandoned.Cancel();
        }

        // Land lets the next call that needs a token begin another flight.
        private void Land(Flight landed)
        {
            lock (gate) if (flight == landed) flight = null;
        }

        // RenewAsync refreshes the stored session, unless another client has refreshed it before.
        private async Task<Session?> RenewAsync(Session stale, CancellationToken cancel)
        {
            var stored = await LoadAsync();
            if (stored?.RefreshToken != stale.RefreshToken) return null;
            if (stored.Token != stale.Token) return stored;
            var (token, failure, isUnbroken) = await AskForTokenAsync(stored.RefreshToken, cancel);
            Session? result = null;
            Exception? failed = null;
            await UpdateAsync(current =>
            {
                if (cancel.IsCancellationRequested || current?.RefreshToken != stored.RefreshToken) return null;
                if (token != null)
                {
                    result = Received(current, token);
                    return new Made(result, new SessionEvent(SessionEventKind.SessionRefreshed));
                }
                failed = failure;
                var verdict = Verdicts.Of(failure!);
                if (verdict == Verdict.Failed) return new Made(current.Undoubted());
                if (verdict == Verdict.Doubtful)
                {
                    var noted = Verdicts.Doubted(isUnbroken ? current : current.Undoubted(), now());
                    if (noted != null) return new Made(noted);
                }
                var reason = verdict == Verdict.Banned ? EndReason.Banned : EndReason.Refused;
                failed = new SessionEndedException(reason, failure);
                return Made.Ended(reason);
            });
            return failed == null ? result : throw failed;
        }

        // AskForTokenAsync requests a token until an answer is final or no attempt is left. It returns a token, or the
        // last failure and whether all attempts got doubtful refusals (see Verdict).
        private async Task<(string? token, RanchException? failure, bool isUnbroken)> AskForTokenAsync(string refreshToken, CancellationToken cancel)
        {
            var request = Request.Post("/auth/refresh", "refreshToken", refreshToken);
            var isUnbroken = true;
            for (var attempt = 1; ; attempt++)
            {
                Answer? answer = null;
                RanchException failure;
                try
                {
                    answer = await wire.SendAsync(request, null, timeout, cancel);
                    told.Reached(true);
                    return (answer.Read(200, json => TokenTimes.Required(json, "token")), null, false);
                }
                catch (NoAnswerException error)
                {
                    failure = new NetworkException(error.InnerException);
                }
                catch (ApiException refusal)
                {
                    failure = refusal;
                }
                var isDoubtful = Verdicts.Of(failure) == Verdict.Doubtful;
                var again = answer == null || answer.Passes || isDoubtful;
                if (!again || attempt >= patience.Attempts) return (null, failure, isUnbroken);
                if (!isDoubtful) isUnbroken = false;
                await patience.PauseAsync(attempt, answer, cancel);
            }
        }

        private Session Received(Session session, string token)
        {
            lock (gate) return session.Received(token, now(), ahead);
        }

        // UpdateAsync updates the session to the result of change and reports the event. If change returns null, there
        // is no update. Events come in the order of updates. It returns the store's error, or null.
        private async Task<Exception?> UpdateAsync(Func<Session?, Made?> change)
        {
            using (await turn.TakeAsync())
            {
                SessionEvent? happened = null;
                var failure = await store.UpdateAsync(current =>
                {
                    var made = change(current);
                    if (made == null) return current;
                    happened = made.Event;
                    lock (gate)
                    {
                        if (made.Session != null) (ahead, endedBy) = (made.Session.Ahead, EndReason.None);
                        else if (happened != null) endedBy = happened.Reason;
                    }
                    return made.Session;
                });
                if (happened != null) told.Tell(happened);
                return failure;
            }
        }

        // Made is the new session, and the event that reports it.
        private sealed class Made
        {
            public Session? Session { get; }
            public SessionEvent? Event { get; }

            public Made(Session? session, SessionEvent? happened = null) => (Session, Event) = (session, happened);

            public static Made Ended(EndReason reason) => new Made(null, new SessionEvent(SessionEventKind.SessionEnded, reason));
        }

        // Flight is a refresh under way of the session with this refresh token.
        private sealed class Flight
        {
            public string RefreshToken { get; }
            public int Waiting; // guarded by the gate
            public CancellationTokenSource Abandoned { get; } = new CancellationTokenSource(); // cancelled if no call waits for it, or the session has changed
            public TaskCompletionSource<Session?> Landed { get; } = new TaskCompletionSource<Session?>();

            public Flight(string refreshToken) => RefreshToken = refreshToken;
        }
    }
}
