#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Turn is a lock that is waited for without a thread, in the order of asking. A SemaphoreSlim would need the thread
    // pool, which Unity's WebGL player does not have.
    internal sealed class Turn
    {
        private readonly object gate = new object();
        private Task last = Task.CompletedTask;

        // TakeAsync returns what gives the turn to the next one.
        public async Task<IDisposable> TakeAsync(CancellationToken cancel = default)
        {
            var mine = new Taken();
            Task before;
            lock (gate)
            {
                before = last;
                last = mine.Over;
            }
            try
            {
                await before.UnlessCancelled(cancel);
            }
            catch
            {
                _ = PassOnAsync(before, mine);
                throw;
            }
            return mine;
        }

        private static async Task PassOnAsync(Task before, Taken mine)
        {
            await before;
            mine.Dispose();
        }

        private sealed class Taken : IDisposable
        {
            private readonly TaskCompletionSource<bool> over = new TaskCompletionSource<bool>();

            public Task Over => over.Task;

            public void Dispose() => over.TrySetResult(true);
        }
    }

    internal static class Waiting
    {
        // UnlessCancelled waits for a task, or throws once the token is cancelled. The task then goes on alone.
        public static async Task<T> UnlessCancelled<T>(this Task<T> task, CancellationToken cancel)
        {
            await ((Task)task).UnlessCancelled(cancel);
            return await task;
        }

        public static async Task UnlessCancelled(this Task task, CancellationToken cancel)
        {
            if (!task.IsCompleted && cancel.CanBeCanceled)
            {
                var cancelled = new TaskCompletionSource<bool>();
                using (cancel.Register(() => cancelled.TrySetResult(true)))
                {
                    if (await Task.WhenAny(task, cancelled.Task) != task)
                    {
                        _ = ObserveAsync(task);
                        throw new OperationCanceledException(cancel);
                    }
                }
            }
            await task;
        }

        // ObserveAsync keeps the failure of a task that nobody waits for from being reported as unobserved.
        private static async Task ObserveAsync(Task task)
        {
            try
            {
                await task;
            }
            catch
            {
                // Nobody wants to know.
            }
        }
    }
}
