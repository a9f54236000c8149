#nullable enable
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>Sends requests with .NET's HttpClient. Unity's WebGL player has no HttpClient: use
    /// UnityWebRequestTransport there.</summary>
    public sealed class HttpClientTransport : ITransport
    {
        private static readonly Lazy<HttpClientTransport> one = new Lazy<HttpClientTransport>(() => new HttpClientTransport(new HttpClientHandler()));

        private readonly HttpClient http;

        /// <summary>The transport of all clients without Options.Transport: they share connections.</summary>
        public static HttpClientTransport Shared => one.Value;

        /// <summary>Uses the caller's handler, with its proxy and certificates. The constructor turns the handler's
        /// redirects and cookies off.</summary>
        public HttpClientTransport(HttpClientHandler handler)
        {
            handler.AllowAutoRedirect = false;
            handler.UseCookies = false;
            handler.AutomaticDecompression = DecompressionMethods.GZip | DecompressionMethods.Deflate;
            http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }

        public async Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            using (var attempt = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                attempt.CancelAfter(request.Timeout);
                try
                {
                    return await ExchangeAsync(request, attempt.Token);
                }
                catch (Exception error)
                {
                    cancel.ThrowIfCancellationRequested();
                    if (attempt.IsCancellationRequested) error = new TimeoutException($"no answer within {request.Timeout.TotalSeconds} s", error);
                    throw new NoAnswerException(!IsUnsent(error), error);
                }
            }
        }

        private async Task<TransportAnswer> ExchangeAsync(TransportRequest request, CancellationToken cancel)
        {
            using (var message = new HttpRequestMessage(new HttpMethod(request.Method), request.Url))
            {
                foreach (var header in request.Headers) message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                message.Headers.ExpectContinue = false;
                if (request.Body != null) message.Content = new StringContent(request.Body, new UTF8Encoding(false), "application/json");
                using (var response = await http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, cancel))
                using (var stream = await response.Content.ReadAsStreamAsync())
                {
                    var body = await ReadAsync(stream, request.MaxBytes, cancel);
                    return new TransportAnswer((int)response.StatusCode, HeadersOf(response), body);
                }
            }
        }

        private static IEnumerable<KeyValuePair<string, string>> HeadersOf(HttpResponseMessage response)
        {
            foreach (var header in response.Headers) yield return new KeyValuePair<string, string>(header.Key, string.Join(", ", header.Value));
            foreach (var header in response.Content.Headers) yield return new KeyValuePair<string, string>(header.Key, string.Join(", ", header.Value));
        }

        // ReadAsync returns the body, or null if it is too large.
        private static async Task<string?> ReadAsync(Stream stream, int maxBytes, CancellationToken cancel)
        {
            using (var whole = new MemoryStream())
            {
                var piece = new byte[16 * 1024];
                for (; ; )
                {
                    var read = await stream.ReadAsync(piece, 0, piece.Length, cancel).UnlessCancelled(cancel); // Mono's stream ignores the token
                    if (read == 0) return Encoding.UTF8.GetString(whole.GetBuffer(), 0, (int)whole.Length);
                    if (whole.Length + read > maxBytes) return null;
                    whole.Write(piece, 0, read);
                }
            }
        }

        // IsUnsent reports whether no connection was made, according to the exceptions of .NET and Mono.
        private static bool IsUnsent(Exception error)
        {
            switch (error.InnerException)
            {
                case SocketException _: return error is HttpRequestException || error is WebException;
                case AuthenticationException _: return true;
                case WebException web when web.Status == WebExceptionStatus.NameResolutionFailure || web.Status == WebExceptionStatus.ConnectFailure
                        || web.Status == WebExceptionStatus.TrustFailure || web.Status == WebExceptionStatus.SecureChannelFailure:
                    return true;
                default: return false;
            }
        }
    }
}
