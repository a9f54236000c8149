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
    /// <summary>Keeps a session in a file that its owner alone may read, and that processes of one machine may share. It
    /// replaces the file as a whole; a file that holds no session is replaced too. Two empty files beside it are what
    /// processes lock: path.lock for a refresh, path.update for a change. A process that ends holds neither any longer. The
    /// Go and the TypeScript client read the same file, but lock it otherwise: do not let them use it at the same time.</summary>
    public sealed class FileStore : ISessionStore
    {
        private static readonly TimeSpan poll = TimeSpan.FromMilliseconds(10);
        private static readonly TimeSpan longestUpdate = TimeSpan.FromSeconds(5); // longer than any disk takes
        private static readonly ConcurrentDictionary<string, Turn> turns = new ConcurrentDictionary<string, Turn>(); // within this process

        private readonly string path;
        private readonly Func<TimeSpan, CancellationToken, Task> delay;

        /// <summary>Lets time pass as delay does while another process has the file; null: Task.Delay.</summary>
        public FileStore(string path, Func<TimeSpan, CancellationToken, Task>? delay = null) =>
            (this.path, this.delay) = (Path.GetFullPath(path), delay ?? Task.Delay);

        public Task<Session?> LoadAsync() => Task.FromResult(Load());

        /// <summary>Throws a TimeoutException if others keep it waiting for 5 s.</summary>
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

        // Replace has readers find what was there before or all of it, also if the machine stops meanwhile.
        private void Replace(Session session)
        {
            var fresh = path + "." + Guid.NewGuid().ToString("N");
            try
            {
                using (var file = new FileStream(fresh, FileMode.CreateNew, FileAccess.Write, FileShare.None))
                {
                    MakePrivate(fresh); // before there is a secret in it
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

        // TryLock returns null if another process has the file.
        private static FileStream? TryLock(string file)
        {
            FileStream? opened = null;
            try
            {
                opened = new FileStream(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None); // Windows and .NET lock by this
                opened.Lock(0, 1); // Mono locks by this
                return opened;
            }
            catch (PlatformNotSupportedException)
            {
                return opened; // .NET on macOS, which has locked it already
            }
            catch (IOException)
            {
                opened?.Dispose();
                return null;
            }
        }

        // MakePrivate takes a file's rights from all but its owner. On Windows, and where every application has a storage of
        // its own, there is nothing to do.
        private static void MakePrivate(string file)
        {
            if (Path.DirectorySeparatorChar != '/') return;
            try
            {
                chmod(file, 0x180); // rw-------
            }
            catch (Exception error) when (error is DllNotFoundException || error is EntryPointNotFoundException)
            {
                // A phone or a browser: other applications have no way to the file.
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
