#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Keeper keeps a player logged in: it has the session, and renews its access token in time, once for all who ask.
    internal sealed class Keeper
    {
        private static readonly TimeSpan margin = TimeSpan.FromMinutes(1); // an access token is renewed that long before its end

        private readonly Wire wire;
        private readonly Patience patience;
        private readonly Told told;
        private readonly TimeSpan timeout;
        private readonly Func<DateTimeOffset> now;
        private readonly Sturdy store;
        private readonly Turn turn = new Turn(); // of all that is done with the store, except for waiting for its lock

        private readonly object gate = new object(); // of what follows
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

        // StartAsync starts the session of a player; the one before is forgotten.
        public async Task StartAsync(string userId, string username, string token, string refreshToken)
        {
            Abandon();
            var session = Received(Session.Start(wire.Api, userId, username, refreshToken), token);
            await UpdateAsync(_ => new Made(session, new SessionEvent(SessionEventKind.SessionStarted)));
        }

        // EndAsync ends the session here. It returns what it was, and why the store may still have it, null if it has not.
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

        // CurrentAsync returns the session with an access token that is good for a while. Given the player that a call began
        // with, it is that one's; given the token that was refused, it has another one.
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

        // Ended returns the error of a call for which there is no session.
        private SessionEndedException Ended()
        {
            lock (gate) return new SessionEndedException(endedBy);
        }

        private bool IsOld(Session session)
        {
            var left = session.Lifetime - (now() - session.ReceivedAt);
            return session.Lifetime > TimeSpan.Zero && left < (margin < session.Lifetime / 10 ? margin : session.Lifetime / 10);
        }

        // RefreshAsync refreshes once for all who ask at a time: who gives up, gives up waiting, and the last one the
        // refresh. It returns null if the session has become another one meanwhile: look again.
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
                // Whoever has abandoned it holds the lock no longer, whatever becomes of the request.
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

        // Abandon gives up the refresh under way: from here on it changes nothing and tells nothing.
        private void Abandon()
        {
            Flight? abandoned;
            lock (gate) (abandoned, flight) = (flight, null);
            abandoned?.Abandoned.Cancel();
        }

        // Land lets the next one who needs a token begin another flight.
        private void Land(Flight landed)
        {
            lock (gate) if (flight == landed) flight = null;
        }

        // RenewAsync refreshes the stored session, unless another client was first.
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

        // AskForTokenAsync asks until there is an answer that counts, or patience ends. It returns a token, or how it failed
        // last, and whether all attempts failed by doubtful refusals.
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

        // UpdateAsync changes the session to what change says, null for not at all, and tells of it, in the order of the
        // changes. It returns why that could not be stored, null if it was.
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

        // Made is what becomes of the session, and what is told of it.
        private sealed class Made
        {
            public Session? Session { get; }
            public SessionEvent? Event { get; }

            public Made(Session? session, SessionEvent? happened = null) => (Session, Event) = (session, happened);

            public static Made Ended(EndReason reason) => new Made(null, new SessionEvent(SessionEventKind.SessionEnded, reason));
        }

        // Flight is a refresh under way, of the session with this refresh token.
        private sealed class Flight
        {
            public string RefreshToken { get; }
            public int Waiting; // guarded by the gate
            public CancellationTokenSource Abandoned { get; } = new CancellationTokenSource(); // nobody waits for it any more, or wants it
            public TaskCompletionSource<Session?> Landed { get; } = new TaskCompletionSource<Session?>();

            public Flight(string refreshToken) => RefreshToken = refreshToken;
        }
    }
}
