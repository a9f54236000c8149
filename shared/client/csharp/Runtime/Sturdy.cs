#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Sturdy is a store that does not fail: if the one within throws (a full disk, a folder that may not be written),
    // memory takes over, and play goes on as long as the process lives. A session of another API is none. Only its lock
    // is asked for by several at a time.
    internal sealed class Sturdy
    {
        private readonly ISessionStore store;
        private readonly string api;
        private readonly Func<TimeSpan, CancellationToken, Task> delay;
        private Session? held; // what the store ought to hold
        private bool failing; // it could not be told so

        public Sturdy(ISessionStore store, string api, Func<TimeSpan, CancellationToken, Task> delay) =>
            (this.store, this.api, this.delay) = (store, api, delay);

        public async Task<Session?> LoadAsync()
        {
            if (failing) return held;
            try
            {
                held = Ours(await store.LoadAsync());
            }
            catch (Exception)
            {
                // What was known last counts.
            }
            return held;
        }

        // UpdateAsync calls change once. It returns why the store within could not be told, null if it was.
        public async Task<Exception?> UpdateAsync(Func<Session?, Session?> change)
        {
            bool called = false, changed = false;
            void Once(Session? known)
            {
                called = true;
                held = change(known);
                changed = !ReferenceEquals(held, known);
            }
            try
            {
                await store.UpdateAsync(current =>
                {
                    Once(failing ? held : Ours(current));
                    return changed ? held : current;
                });
            }
            catch (Exception error)
            {
                if (!called) Once(held);
                if (changed) failing = true;
                return error;
            }
            if (changed) failing = false;
            return null;
        }

        // LockAsync takes the store's lock. If that is not to be had within the limit, it returns without: two that refresh
        // cost a request, and one that waits for ever a player.
        public async Task<IDisposable> LockAsync(TimeSpan limit, CancellationToken cancel)
        {
            using (var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                Task<IDisposable>? asked = null;
                try
                {
                    asked = store.LockAsync(waiting.Token);
                    if (!asked.IsCompleted) await Task.WhenAny(asked, delay(limit, waiting.Token));
                    if (asked.IsCompleted) return await asked;
                }
                catch (Exception)
                {
                    // A store without a lock.
                }
                finally
                {
                    waiting.Cancel(); // the delay, and who may be asking still
                }
                if (asked != null) _ = GiveUpAsync(asked);
                cancel.ThrowIfCancellationRequested();
                return new NoLock();
            }
        }

        // GiveUpAsync gives a lock up that comes too late.
        private static async Task GiveUpAsync(Task<IDisposable> asked)
        {
            try
            {
                (await asked).Dispose();
            }
            catch
            {
                // It did not come.
            }
        }

        private Session? Ours(Session? session) => session?.Api == api ? session : null;

        private sealed class NoLock : IDisposable
        {
            public void Dispose() { }
        }
    }
}
