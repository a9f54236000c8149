// Replaces the classes of Unity that the generated client uses, so that the client compiles and runs without Unity.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;

namespace UnityEngine
{
    public class WWWForm { public void AddField(string name, string value) => throw new NotSupportedException(); }
    public static class Debug { public static void LogError(object message) => Console.Error.WriteLine(message); }
}

namespace UnityEngine.Networking
{
    public interface IMultipartFormSection { }
    public class MultipartFormDataSection : IMultipartFormSection { public MultipartFormDataSection(string name, string data) { } }

    public class DownloadHandlerBuffer { public byte[] data; public string text => data == null ? null : Encoding.UTF8.GetString(data); }

    // Sends the request in the thread of the caller that waits for the end. If other threads used sockets, one in
    // thirty processes of Mono 6.8 would never end.
    public class UnityWebRequestAsyncOperation
    {
        readonly Action send;
        internal UnityWebRequestAsyncOperation(Action send) { this.send = send; }
        public event Action<UnityWebRequestAsyncOperation> completed { add { send(); value(this); } remove { } }
    }

    public class UnityWebRequest : IDisposable
    {
        public enum Result { InProgress, Success, ConnectionError, ProtocolError, DataProcessingError }
        public string method, error;
        public int timeout;
        public long responseCode;
        public Result result;
        public bool isNetworkError => result == Result.ConnectionError;
        public bool isHttpError => result == Result.ProtocolError;
        public DownloadHandlerBuffer downloadHandler;
        readonly Uri uri;
        readonly byte[] body;
        readonly Dictionary<string, string> request = new Dictionary<string, string>();
        readonly Dictionary<string, string> response = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

        public UnityWebRequest(string uri, string method, byte[] body = null)
        {
            this.uri = new Uri(uri);
            this.method = method;
            this.body = body ?? new byte[0];
        }
        public static UnityWebRequest Put(string uri, string body) => Put(uri, Encoding.UTF8.GetBytes(body));
        public static UnityWebRequest Put(string uri, byte[] body) => new UnityWebRequest(uri, "PUT", body) { downloadHandler = new DownloadHandlerBuffer() };
        public static UnityWebRequest Post(string uri, object form) => throw new NotSupportedException();

        public void SetRequestHeader(string name, string value) => request[name] = value;
        public Dictionary<string, string> GetResponseHeaders() => response;
        public string GetResponseHeader(string name) => response.TryGetValue(name, out var value) ? value : null;
        public UnityWebRequestAsyncOperation SendWebRequest() => new UnityWebRequestAsyncOperation(Send);

        void Send()
        {
            try
            {
                using (var connection = new TcpClient(uri.Host, uri.Port))
                {
                    var stream = connection.GetStream();
                    request["Host"] = uri.Authority;
                    request["Content-Length"] = body.Length.ToString();
                    var lines = request.Select(header => $"{header.Key}: {header.Value}\r\n");
                    var message = Encoding.UTF8.GetBytes($"{method} {uri.PathAndQuery} HTTP/1.0\r\n{string.Concat(lines)}\r\n").Concat(body).ToArray();
                    stream.Write(message, 0, message.Length);
                    var memory = new MemoryStream();
                    stream.CopyTo(memory);
                    Read(memory.ToArray());
                }
            }
            catch (Exception e) { error = e.Message; result = Result.ConnectionError; }
        }

        void Read(byte[] answer)
        {
            var end = Encoding.GetEncoding("iso-8859-1").GetString(answer).IndexOf("\r\n\r\n");
            var lines = Encoding.UTF8.GetString(answer, 0, end).Split(new[] { "\r\n" }, StringSplitOptions.None);
            foreach (var header in lines.Skip(1).Select(line => line.Split(new[] { ": " }, 2, StringSplitOptions.None))) response[header[0]] = header[1];
            responseCode = long.Parse(lines[0].Split(' ')[1]);
            result = responseCode < 400 ? Result.Success : Result.ProtocolError;
            error = result == Result.Success ? null : "HTTP/1.0 " + responseCode;
            if (downloadHandler != null) downloadHandler.data = answer.Skip(end + 4).ToArray();
        }
        public void Abort() { }
        public void Dispose() { }
    }
}
