#nullable enable
using System;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Patience has the number of attempts of a call, and waits between them.
    internal sealed class Patience
    {
        private static readonly TimeSpan first = TimeSpan.FromMilliseconds(200);
        private static readonly TimeSpan most = TimeSpan.FromSeconds(5);
        private static readonly TimeSpan mostAsked = TimeSpan.FromSeconds(30);

        private readonly Func<TimeSpan, CancellationToken, Task> wait;
        private readonly Func<double> random;

        public int Attempts { get; }

        public Patience(int attempts, Func<TimeSpan, CancellationToken, Task> wait, Func<double> random) =>
            (Attempts, this.wait, this.random) = (attempts, wait, random);

        // PauseAsync waits after an attempt, counted from 1. The time is random, below a bound that doubles from 200 ms
        // to 5 s (full jitter), and not shorter than the answer's Retry-After.
        public async Task PauseAsync(int attempt, Answer? answer, CancellationToken cancel)
        {
            var ceiling = Math.Min(most.TotalMilliseconds, first.TotalMilliseconds * Math.Pow(2, attempt - 1));
            var delay = TimeSpan.FromMilliseconds(random() * ceiling);
            var asked = answer == null ? TimeSpan.Zero : RetryAfter(answer);
            await wait(asked > delay ? asked : delay, cancel);
            cancel.ThrowIfCancellationRequested();
        }

        // RetryAfter returns the wait that an answer asks for, 30 s at most. A date counts from the answer's Date.
        private static TimeSpan RetryAfter(Answer answer)
        {
            var asked = answer.Header("Retry-After");
            if (double.TryParse(asked, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds))
                return TimeSpan.FromSeconds(Math.Min(mostAsked.TotalSeconds, seconds));
            var delay = (Instant.Parse(asked) - Instant.Parse(answer.Header("Date"))) ?? TimeSpan.Zero;
            return delay < TimeSpan.Zero ? TimeSpan.Zero : delay > mostAsked ? mostAsked : delay;
        }
    }

    // Told delivers events to a listener, one at a time. It catches exceptions of the listener.
    internal sealed class Told
    {
        private readonly object gate = new object();
        private readonly Action<SessionEvent> listener;
        private bool reachable = true;

        public Told(Action<SessionEvent> listener) => this.listener = listener;

        public void Tell(SessionEvent happened)
        {
            lock (gate)
            {
                try
                {
                    listener(happened);
                }
                catch (Exception error)
                {
                    // In Unity, the frame loop shows the exception. Elsewhere only a trace can record it.
                    var frame = SynchronizationContext.Current;
                    if (frame == null) Trace.TraceError(error.ToString());
                    else frame.Post(_ => ExceptionDispatchInfo.Capture(error).Throw(), null);
                }
            }
        }

        // Reached notes that an answer came, or that a call ended without an answer. It reports each change.
        public void Reached(bool now)
        {
            lock (gate)
            {
                if (reachable == now) return;
                reachable = now;
                Tell(new SessionEvent(now ? SessionEventKind.Reachable : SessionEventKind.Unreachable));
            }
        }
    }
}
