#nullable enable
using System;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace RanchGame.Unity
{
    /// <summary>What a client goes by in Unity.</summary>
    public static class RanchUnity
    {
        /// <summary>Options with Unity's own network, storage and time.</summary>
        public static ClientOptions Options() => new ClientOptions
        {
            Transport = new UnityWebRequestTransport(),
            Store = new PlayerPrefsStore(),
            Delay = DelayAsync,
        };

        /// <summary>Lets time pass frame by frame: Task.Delay needs threads, which WebGL players do not have.</summary>
        public static async Task DelayAsync(TimeSpan delay, CancellationToken cancel)
        {
            for (var until = Time.realtimeSinceStartupAsDouble + delay.TotalSeconds; Time.realtimeSinceStartupAsDouble < until;)
            {
                cancel.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
    }

    /// <summary>Keeps a session in Unity's PlayerPrefs, for the clients that share this object. They are not encrypted: if the
    /// platform keeps secrets, write a store for that.</summary>
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
