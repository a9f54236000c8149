#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Turn is an asynchronous lock. Callers get the lock in the order of their calls. A SemaphoreSlim would need the
    // thread pool, which Unity's WebGL player does not have.
    internal sealed class Turn
    {
        private readonly object gate = new object();
        private Task last = Task.CompletedTask;

        // TakeAsync waits for the lock. Disposing the result releases the lock.
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
        // UnlessCancelled waits for a task. If the token is cancelled, it throws, and the task goes on alone.
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

        // ObserveAsync catches the failure of a task without a caller, so that .NET does not report it as unobserved.
        private static async Task ObserveAsync(Task task)
        {
            try
            {
                await task;
            }
            catch
            {
                // There is no caller for the failure.
            }
        }
    }
}
