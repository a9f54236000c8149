#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Sturdy is a store that does not fail. If the inner store throws, for example because the disk is full, memory
    // keeps the session as long as the process lives. A session of another API counts as no session. The caller makes
    // one call at a time, except for LockAsync.
    internal sealed class Sturdy
    {
        private readonly ISessionStore store;
        private readonly string api;
        private readonly Func<TimeSpan, CancellationToken, Task> delay;
        private Session? held; // the session that the inner store should have
        private bool failing; // the inner store does not have held

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
                // The last known session stays.
            }
            return held;
        }

        // UpdateAsync always calls change once. It returns the inner store's error, or null.
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

        // LockAsync gets the store's lock. If the lock does not come within the limit, it returns without the lock: two
        // simultaneous refreshes do no harm, and waiting for ever would.
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
                    // The store has no lock.
                }
                finally
                {
                    waiting.Cancel(); // ends the delay and the request for the lock
                }
                if (asked != null) _ = GiveUpAsync(asked);
                cancel.ThrowIfCancellationRequested();
                return new NoLock();
            }
        }

        // GiveUpAsync releases a lock that comes too late.
        private static async Task GiveUpAsync(Task<IDisposable> asked)
        {
            try
            {
                (await asked).Dispose();
            }
            catch
            {
                // The lock did not come.
            }
        }

        private Session? Ours(Session? session) => session?.Api == api ? session : null;

        private sealed class NoLock : IDisposable
        {
            public void Dispose() { }
        }
    }
}
