#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace RanchGame.Unity
{
    /// <summary>The parts of a client that use Unity.</summary>
    public static class RanchUnity
    {
        /// <summary>Returns options with Unity's own network, storage and time.</summary>
        public static ClientOptions Options() => new ClientOptions
        {
            Transport = new UnityWebRequestTransport(),
            Store = new PlayerPrefsStore(),
            Delay = DelayAsync,
        };

        /// <summary>Waits frame by frame: Task.Delay needs threads, which WebGL players do not have.</summary>
        public static async Task DelayAsync(TimeSpan delay, CancellationToken cancel)
        {
            for (var until = Time.realtimeSinceStartupAsDouble + delay.TotalSeconds; Time.realtimeSinceStartupAsDouble < until;)
            {
                cancel.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
    }

    /// <summary>Keeps a session in Unity's PlayerPrefs, for the clients that share this object. PlayerPrefs are not
    /// encrypted: if the platform has a keychain, write a store for the keychain.</summary>
    public sealed class PlayerPrefsStore : ISessionStore
    {
        private readonly string key;
        private readonly MemoryStore locks = new MemoryStore();

        public PlayerPrefsStore(string key = "ranch.session") => this.key = key;

        public Task<Session?> LoadAsync() => Task.FromResult(Load());

        public Task UpdateAsync(Func<Session?, Session?> change)
        {
            var current = Load();
            var next = change(current);
            if (ReferenceEquals(next, current)) return Task.CompletedTask;
            if (next == null) PlayerPrefs.DeleteKey(key);
            else PlayerPrefs.SetString(key, next.ToJson());
            PlayerPrefs.Save();
            return Task.CompletedTask;
        }

        public Task<IDisposable> LockAsync(CancellationToken cancel) => locks.LockAsync(cancel);

        private Session? Load() => Session.Parse(PlayerPrefs.GetString(key, ""));
    }
}
