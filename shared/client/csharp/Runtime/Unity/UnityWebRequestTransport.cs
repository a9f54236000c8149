#nullable enable
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Networking;

namespace RanchGame.Unity
{
    /// <summary>Sends requests with UnityWebRequest, which exists on all of Unity's platforms. Call the client on the
    /// main thread: the transport looks at a request once a frame.</summary>
    public sealed class UnityWebRequestTransport : ITransport
    {
        public async Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            using (var web = new UnityWebRequest(request.Url, request.Method))
            {
                web.redirectLimit = 0; // the API sends no redirects: a redirect comes from a third party
                web.downloadHandler = new DownloadHandlerBuffer();
                if (request.Body != null)
                {
                    web.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(request.Body));
                    web.SetRequestHeader("Content-Type", "application/json");
                }
                foreach (var header in request.Headers) web.SetRequestHeader(header.Key, header.Value);
                var until = Time.realtimeSinceStartupAsDouble + request.Timeout.TotalSeconds;
                for (var sending = web.SendWebRequest(); !sending.isDone;)
                {
                    var isTooLarge = web.downloadedBytes > (ulong)request.MaxBytes;
                    var isLate = Time.realtimeSinceStartupAsDouble > until;
                    if (isTooLarge || isLate || cancel.IsCancellationRequested) web.Abort();
                    cancel.ThrowIfCancellationRequested();
                    if (isTooLarge) return Answer(web, null);
                    if (isLate) throw new NoAnswerException(true, new TimeoutException($"no answer within {request.Timeout.TotalSeconds} s"));
                    await Task.Yield(); // the next frame
                }
                if (!HasAnswer(web)) throw new NoAnswerException(!IsUnsent(web.error), new IOException(web.error));
                return Answer(web, Encoding.UTF8.GetString(web.downloadHandler.data ?? Array.Empty<byte>()));
            }
        }

        private static TransportAnswer Answer(UnityWebRequest web, string? body) =>
            new TransportAnswer((int)web.responseCode, web.GetResponseHeaders() ?? new Dictionary<string, string>(), body);

        // HasAnswer reports whether a complete answer came. A redirect that is not followed is an answer, although
        // Unity calls it an error.
        private static bool HasAnswer(UnityWebRequest web)
        {
            if (web.responseCode >= 300 && web.responseCode < 400) return true;
            return web.result == UnityWebRequest.Result.Success || web.result == UnityWebRequest.Result.ProtocolError;
        }

        // IsUnsent reports whether no connection was made, according to Unity's messages.
        private static bool IsUnsent(string? error) => error == "Cannot connect to destination host" || error == "Cannot resolve destination host";
    }
}
