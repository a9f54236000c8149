// Stand-ins for the classes of Unity that the client uses, as Unity's manual describes them. A player has one thread,
// which runs the posted work once a frame.
#nullable enable
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine
{
    public static class Player
    {
        private static readonly Frames frames = new Frames();

        public static void Start() => new Thread(frames.Run) { IsBackground = true }.Start();

        // Do runs work in the player's next frame.
        public static void Do(Action work) => frames.Posted.Enqueue((_ => work(), null));

        private sealed class Frames : SynchronizationContext
        {
            public readonly ConcurrentQueue<(SendOrPostCallback work, object? state)> Posted = new ConcurrentQueue<(SendOrPostCallback, object?)>();
            private Thread? player;

            // Work that a timer or another thread posts would never run in a WebGL player.
            public override void Post(SendOrPostCallback work, object? state)
            {
                if (Thread.CurrentThread != player) Environment.FailFast("the client goes on by another thread than the player's: " + Environment.StackTrace);
                Posted.Enqueue((work, state));
            }

            public override SynchronizationContext CreateCopy() => this;

            public void Run()
            {
                player = Thread.CurrentThread;
                SetSynchronizationContext(this);
                for (; ; )
                {
                    for (var left = Posted.Count; left > 0 && Posted.TryDequeue(out var next); left--) next.work(next.state);
                    Thread.Sleep(1);
                }
            }
        }
    }

    public static class Time
    {
        private static readonly Stopwatch since = Stopwatch.StartNew();

        public static double realtimeSinceStartupAsDouble => since.Elapsed.TotalSeconds;
    }

    public static class PlayerPrefs
    {
        private static readonly ConcurrentDictionary<string, string> kept = new ConcurrentDictionary<string, string>();

        public static string GetString(string key, string otherwise) => kept.TryGetValue(key, out var value) ? value : otherwise;

        public static void SetString(string key, string value) => kept[key] = value;

        public static void DeleteKey(string key) => kept.TryRemove(key, out _);

        public static void Save() { }
    }

    public class AsyncOperation
    {
        public bool isDone { get; internal set; }
    }
}

namespace UnityEngine.Networking
{
    public sealed class UnityWebRequestAsyncOperation : AsyncOperation { }

    public sealed class DownloadHandlerBuffer
    {
        public byte[]? data { get; internal set; }
    }

    public sealed class UploadHandlerRaw
    {
        internal byte[] Data { get; }

        public UploadHandlerRaw(byte[] data) => Data = data;
    }

    public sealed class UnityWebRequest : IDisposable
    {
        public enum Result { InProgress, Success, ConnectionError, ProtocolError, DataProcessingError }

        private static readonly HttpClient following = new HttpClient(new HttpClientHandler { UseCookies = false });
        private static readonly HttpClient staying = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false });

        private readonly HttpRequestMessage message;
        private readonly CancellationTokenSource aborting = new CancellationTokenSource();
        private Dictionary<string, string>? headers;

        public UnityWebRequest(string url, string method) => message = new HttpRequestMessage(new HttpMethod(method), url);

        public int redirectLimit { get; set; } = 32;
        public DownloadHandlerBuffer downloadHandler { get; set; } = new DownloadHandlerBuffer();
        public UploadHandlerRaw? uploadHandler { get; set; }
        public long responseCode { get; private set; }
        public ulong downloadedBytes { get; private set; }
        public Result result { get; private set; }
        public string? error { get; private set; }

        public void SetRequestHeader(string name, string value)
        {
            if (name != "Content-Type") message.Headers.TryAddWithoutValidation(name, value);
        }

        public Dictionary<string, string>? GetResponseHeaders() => headers;

        public void Abort() => aborting.Cancel();

        public void Dispose() => message.Dispose();

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            var operation = new UnityWebRequestAsyncOperation();
            Task.Run(async () =>
            {
                try
                {
                    await SendAsync();
                }
                catch (Exception failure)
                {
                    result = Result.ConnectionError;
                    error = IsRefused(failure) ? "Cannot connect to destination host" : "Curl error 52: Empty reply from server";
                }
                operation.isDone = true;
            });
            return operation;
        }

        private async Task SendAsync()
        {
            if (uploadHandler != null)
            {
                message.Content = new ByteArrayContent(uploadHandler.Data);
                message.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            }
            using (var response = await (redirectLimit > 0 ? following : staying).SendAsync(message, HttpCompletionOption.ResponseHeadersRead, aborting.Token))
            using (var stream = await response.Content.ReadAsStreamAsync())
            {
                var came = new Dictionary<string, string>();
                foreach (var header in response.Headers) came[header.Key] = string.Join(",", header.Value);
                headers = came;
                responseCode = (long)response.StatusCode;
                var body = new List<byte>();
                var piece = new byte[16 * 1024];
                for (int read; (read = await stream.ReadAsync(piece, 0, piece.Length, aborting.Token)) > 0;)
                {
                    body.AddRange(new ArraySegment<byte>(piece, 0, read));
                    downloadedBytes = (ulong)body.Count;
                }
                downloadHandler.data = body.ToArray();
            }
            var isRedirection = responseCode >= 300 && responseCode < 400;
            result = isRedirection ? Result.ConnectionError : responseCode >= 400 ? Result.ProtocolError : Result.Success;
            error = isRedirection ? "Redirect limit exceeded" : result == Result.Success ? null : $"HTTP/1.1 {responseCode}";
        }

        private static bool IsRefused(Exception failure) =>
            failure.InnerException is System.Net.Sockets.SocketException || failure.InnerException is WebException web && web.Status == WebExceptionStatus.ConnectFailure;
    }
}
