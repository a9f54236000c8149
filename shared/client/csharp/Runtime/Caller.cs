#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Way is how to send a request. An open request (IsOpen) needs no session.
    internal sealed class Way
    {
        public CancellationToken Cancel { get; }
        public bool IsOpen { get; }
        // The id of the player who must make the call; null: the session's player.
        public string? Player { get; }
        // The time limit of one attempt; null: the client's.
        public TimeSpan? Timeout { get; }

        public Way(CancellationToken cancel, bool isOpen = false, string? player = null, TimeSpan? timeout = null) =>
            (Cancel, IsOpen, Player, Timeout) = (cancel, isOpen, player, timeout);
    }

    // Caller makes calls and repeats them. Calls that are not open get the session's token.
    internal sealed class Caller
    {
        private readonly Wire wire;
        private readonly Patience patience;
        private readonly Keeper keeper;
        private readonly Told told;
        private readonly TimeSpan timeout;

        public Caller(Wire wire, Patience patience, Keeper keeper, Told told, TimeSpan timeout) =>
            (this.wire, this.patience, this.keeper, this.told, this.timeout) = (wire, patience, keeper, told, timeout);

        // Course is the state of a call.
        private sealed class Course
        {
            public Session? Session;
            public bool InDoubt; // the service may have applied an attempt
        }

        // ChangeAsync makes a change. If the outcome is in doubt, it calls look with the last error and the id of the
        // player who made the change. look returns null if the change is not there. It gets a SessionEndedException only
        // if it can do without a session.
        public async Task<T> ChangeAsync<T>(
            string operation, Request request, Way way, Func<Answer, Task<T>> done, Func<Exception, string, Task<T?>> look, bool looksWithoutSession = false)
            where T : class
        {
            var course = new Course();
            Exception last;
            try
            {
                return await done(await SendAsync(request, way, course));
            }
            catch (Exception error) when (course.InDoubt || error is ApiException api && api.IsUnread)
            {
                last = error;
            }
            if (way.Cancel.IsCancellationRequested) throw new UnknownOutcomeException(operation, new OperationCanceledException(way.Cancel));
            if (last is SessionEndedException && !looksWithoutSession) throw new UnknownOutcomeException(operation, last);
            T? found;
            try
            {
                found = await look(last, course.Session?.UserId ?? "");
            }
            catch (Exception error)
            {
                throw new UnknownOutcomeException(operation, error);
            }
            if (found != null) return found;
            throw last is ApiException rule && rule.IsRule ? last : new UnknownOutcomeException(operation, last);
        }

        // SendAsync sends a request until an answer is final or no attempt is left.
        public Task<Answer> SendAsync(Request request, Way way) => SendAsync(request, way, new Course());

        private async Task<Answer> SendAsync(Request request, Way way, Course course)
        {
            string? refused = null;
            for (var attempt = 1; ; attempt++)
            {
                if (!way.IsOpen) course.Session = await CurrentAsync(way, course, refused);
                way.Cancel.ThrowIfCancellationRequested(); // a request that is cancelled after this line is in doubt
                Answer? answer = null;
                NetworkException? failure = null;
                try
                {
                    answer = await wire.SendAsync(request, course.Session?.Token, way.Timeout ?? timeout, way.Cancel);
                    if (answer.Status >= 500) course.InDoubt = true;
                    told.Reached(true);
                }
                catch (NoAnswerException error)
                {
                    if (error.Sent) course.InDoubt = true;
                    failure = new NetworkException(error.InnerException);
                }
                catch (OperationCanceledException)
                {
                    course.InDoubt = true; // the caller cancelled during the attempt
                    throw;
                }
                if (answer != null && answer.Status == 401 && course.Session != null && refused == null)
                {
                    refused = course.Session.Token;
                    attempt--;
                    continue;
                }
                if (answer != null && (!answer.Passes || attempt >= patience.Attempts)) return answer;
                if (failure != null && attempt >= patience.Attempts)
                {
                    told.Reached(false);
                    throw failure;
                }
                await patience.PauseAsync(attempt, answer, way.Cancel);
            }
        }

        private async Task<Session> CurrentAsync(Way way, Course course, string? refused)
        {
            try
            {
                return await keeper.CurrentAsync(course.Session?.UserId ?? way.Player, refused, way.Cancel);
            }
            catch (NetworkException)
            {
                told.Reached(false);
                throw;
            }
        }
    }
}
