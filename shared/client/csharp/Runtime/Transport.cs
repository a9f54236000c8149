#nullable enable
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>Sends single requests over HTTP. It has no session, repeats nothing and does not interpret answers. It
    /// must allow concurrent calls.</summary>
    public interface ITransport
    {
        /// <summary>Sends a request once, and returns the answer, whatever its status. It follows no redirect. If no
        /// complete answer comes within the request's time limit, it throws a <see cref="NoAnswerException"/>. If the
        /// token is cancelled, it throws an <see cref="OperationCanceledException"/>.</summary>
        Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancel);
    }

    /// <summary>A request.</summary>
    public sealed class TransportRequest
    {
        /// <summary>GET, POST, PUT or DELETE.</summary>
        public string Method { get; }
        public string Url { get; }
        /// <summary>JSON; null sends no body.</summary>
        public string? Body { get; }
        /// <summary>Besides Content-Type, which is application/json if there is a body.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; }
        /// <summary>The time limit of the whole exchange, with the body of the answer.</summary>
        public TimeSpan Timeout { get; }
        /// <summary>The most bytes of a decompressed answer. The body of a larger answer is null.</summary>
        public int MaxBytes { get; }

        public TransportRequest(string method, string url, string? body, IReadOnlyDictionary<string, string> headers, TimeSpan timeout, int maxBytes)
        {
            (Method, Url, Body, Headers, Timeout, MaxBytes) = (method, url, body, headers, timeout, maxBytes);
        }
    }

    /// <summary>An answer, whatever its status.</summary>
    public sealed class TransportAnswer
    {
        public int Status { get; }
        /// <summary>By name, in any case. Values with the same name are joined by commas.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; }
        /// <summary>Null if the answer was too large.</summary>
        public string? Body { get; }

        public TransportAnswer(int status, IEnumerable<KeyValuePair<string, string>> headers, string? body)
        {
            var byName = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
            foreach (var header in headers) byName[header.Key] = header.Value;
            (Status, Headers, Body) = (status, byName, body);
        }
    }

    /// <summary>An attempt got no complete answer.</summary>
    public sealed class NoAnswerException : Exception
    {
        /// <summary>False if the service has certainly received nothing.</summary>
        public bool Sent { get; }

        public NoAnswerException(bool sent, Exception? cause) : base("no answer", cause) => Sent = sent;
    }
}
