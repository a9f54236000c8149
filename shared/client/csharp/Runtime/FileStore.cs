#nullable enable
using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>Keeps a session in a file that only its owner may read, and that processes of one machine can share. An
    /// update replaces the whole file, even if the file has no session. Two empty files beside the session's file are
    /// for locks: path.lock for a refresh, path.update for an update. If a process ends, the system releases its locks.
    /// The other clients read the same file but lock it in another way: do not use one file with two clients at the
    /// same time.</summary>
    public sealed class FileStore : ISessionStore
    {
        private static readonly TimeSpan poll = TimeSpan.FromMilliseconds(10);
        private static readonly TimeSpan longestUpdate = TimeSpan.FromSeconds(5); // each update writes one small file
        private static readonly ConcurrentDictionary<string, Turn> turns = new ConcurrentDictionary<string, Turn>(); // the locks between the stores of this process

        private readonly string path;
        private readonly Func<TimeSpan, CancellationToken, Task> delay;

        /// <summary>delay waits between two attempts to get the lock of another process; null: Task.Delay.</summary>
        public FileStore(string path, Func<TimeSpan, CancellationToken, Task>? delay = null) =>
            (this.path, this.delay) = (Path.GetFullPath(path), delay ?? Task.Delay);

        public Task<Session?> LoadAsync() => Task.FromResult(Load());

        /// <summary>Throws a TimeoutException if other processes hold the lock for 5 s.</summary>
        public async Task UpdateAsync(Func<Session?, Session?> change)
        {
            using (await LockAsync(path + ".update", longestUpdate, default))
            {
                var current = Load();
                var next = change(current);
                if (next == null && current != null) File.Delete(path);
                else if (next != null && !ReferenceEquals(next, current)) Replace(next);
            }
        }

        public Task<IDisposable> LockAsync(CancellationToken cancel) => LockAsync(path + ".lock", TimeSpan.MaxValue, cancel);

        private Session? Load()
        {
            try
            {
                using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
                using (var reader = new StreamReader(file)) return Session.Parse(reader.ReadToEnd());
            }
            catch (Exception error) when (error is FileNotFoundException || error is DirectoryNotFoundException)
            {
                return null;
            }
        }

        // Replace replaces the whole file, so that readers find the old or the new session, even after a crash of the
        // machine.
        private void Replace(Session session)
        {
            var fresh = path + "." + Guid.NewGuid().ToString("N");
            try
            {
                using (var file = new FileStream(fresh, FileMode.CreateNew, FileAccess.Write, FileShare.None))
                {
                    MakePrivate(fresh); // before the file has a secret
                    using (var writer = new StreamWriter(file))
                    {
                        writer.Write(session.ToJson());
                        writer.Flush();
                        file.Flush(true);
                    }
                }
                if (File.Exists(path)) File.Replace(fresh, path, null);
                else File.Move(fresh, path);
            }
            catch
            {
                File.Delete(fresh);
                throw;
            }
        }

        private async Task<IDisposable> LockAsync(string file, TimeSpan longest, CancellationToken cancel)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            var turn = await turns.GetOrAdd(file, _ => new Turn()).TakeAsync(cancel);
            try
            {
                for (var since = Stopwatch.StartNew(); since.Elapsed < longest;)
                {
                    var held = TryLock(file);
                    if (held != null) return new Locked(held, turn);
                    await delay(poll, cancel);
                }
                throw new TimeoutException($"{file}: another process has held it for {longest.TotalSeconds} s");
            }
            catch
            {
                turn.Dispose();
                throw;
            }
        }

        // TryLock returns null if another process has the lock.
        private static FileStream? TryLock(string file)
        {
            FileStream? opened = null;
            try
            {
                opened = new FileStream(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None); // the lock of .NET and of Windows
                opened.Lock(0, 1); // the lock of Mono
                return opened;
            }
            catch (PlatformNotSupportedException)
            {
                return opened; // .NET on macOS, where opening the file has locked it
            }
            catch (IOException)
            {
                opened?.Dispose();
                return null;
            }
        }

        // MakePrivate allows only the owner to use a file. On Windows, and on systems where each application has its
        // own storage, it does nothing.
        private static void MakePrivate(string file)
        {
            if (Path.DirectorySeparatorChar != '/') return;
            try
            {
                chmod(file, 0x180); // rw-------
            }
            catch (Exception error) when (error is DllNotFoundException || error is EntryPointNotFoundException)
            {
                // On a phone or in a browser, other applications cannot reach the file.
            }
        }

        [DllImport("libc", SetLastError = true)]
        private static extern int chmod(string file, uint mode);

        private sealed class Locked : IDisposable
        {
            private readonly FileStream file;
            private readonly IDisposable turn;

            public Locked(FileStream file, IDisposable turn) => (this.file, this.turn) = (file, turn);

            public void Dispose()
            {
                file.Dispose();
                turn.Dispose();
            }
        }
    }
}
