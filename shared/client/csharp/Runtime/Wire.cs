#nullable enable
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    // Request is a path with its query, and the fields of the body.
    internal sealed class Request
    {
        public string Method { get; }
        public string Path { get; }
        public Dictionary<string, object?>? Body { get; }

        private Request(string method, string path, Dictionary<string, object?>? body) => (Method, Path, Body) = (method, path, body);

        public static Request Get(string path) => new Request("GET", path, null);

        public static Request Put(string path, params object?[] namesAndValues) => new Request("PUT", path, Json.Object(namesAndValues));

        public static Request Delete(string path, params object?[] namesAndValues) =>
            new Request("DELETE", path, namesAndValues.Length == 0 ? null : Json.Object(namesAndValues));

        public static Request Post(string path, params object?[] namesAndValues) =>
            new Request("POST", path, namesAndValues.Length == 0 ? null : Json.Object(namesAndValues));
    }

    // Wire sends single requests to an API.
    internal sealed class Wire
    {
        // The largest answer, a show with 45,000 entries, has 18 MB decompressed.
        private const int MostBytes = 32 << 20;

        private readonly ITransport transport;

        public string Api { get; }

        public Wire(string api, ITransport transport) => (Api, this.transport) = (api, transport);

        // SendAsync throws a NoAnswerException, or an OperationCanceledException if the token is cancelled.
        public async Task<Answer> SendAsync(Request request, string? token, TimeSpan timeout, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            var headers = new Dictionary<string, string>();
            if (token != null) headers["Authorization"] = "Bearer " + token;
            var body = request.Body == null ? null : Json.Write(request.Body);
            var sent = new TransportRequest(request.Method, Api + request.Path, body, headers, timeout, MostBytes);
            try
            {
                var answer = await transport.SendAsync(sent, cancel).UnlessCancelled(cancel);
                // The API sends no redirect and no 511: a network's log-in page has answered instead of the service.
                if (answer.Status >= 300 && answer.Status < 400 || answer.Status == 511)
                    throw new NoAnswerException(false, new IOException($"another server has answered {answer.Status}: log in to this network"));
                return new Answer(answer);
            }
            catch (Exception error) when (!(error is NoAnswerException))
            {
                cancel.ThrowIfCancellationRequested();
                throw new NoAnswerException(true, error);
            }
        }
    }

    // Answer is an answer, with its body as JSON.
    internal sealed class Answer
    {
        private readonly IReadOnlyDictionary<string, string> headers;

        public int Status { get; }
        // Null if the body is not JSON, or too large.
        public object? Body { get; }

        public Answer(TransportAnswer answer) => (Status, headers, Body) = (answer.Status, answer.Headers, Json.ParseOrNull(answer.Body));

        // Header returns "" if there is no such header.
        public string Header(string name) => headers.TryGetValue(name, out var value) ? value : "";

        // Passes reports whether the service could not process the request now. A 500 is final: the service has
        // repeated its own requests before.
        public bool Passes => Status == 429 || Status == 502 || Status == 503 || Status == 504;

        // Read returns the result of read for the body. For another status, or a FormatException of read, it throws an
        // ApiException.
        public T Read<T>(int status, Func<object?, T> read)
        {
            if (Status != status) throw Refusal();
            try
            {
                return read(Body);
            }
            catch (FormatException)
            {
                throw Refusal();
            }
        }

        public T Read<T>(int status, Func<JsonObject, T> read) => Read(status, (object? body) => read(JsonObject.Of(body)));

        // Refusal returns the error of an answer with another status, or without the required fields. It ignores the
        // body of an answer below 400.
        public ApiException Refusal()
        {
            var said = JsonObject.Of(Status < 400 || !(Body is Dictionary<string, object?>) ? Json.Object() : Body);
            string code = Words(said, "error"), message = Words(said, "message");
            return new ApiException(Status, code != "" ? code : CodeOfStatus(), message, said.Sentences("details"), Header("Apigw-Requestid"));
        }

        private static string Words(JsonObject said, string name)
        {
            try
            {
                return said.Text(name);
            }
            catch (FormatException)
            {
                return "";
            }
        }

        private string CodeOfStatus() =>
            Status == 429 ? Code.TooManyRequests : Passes ? Code.ServiceUnavailable : Code.Unexpected;
    }
}
