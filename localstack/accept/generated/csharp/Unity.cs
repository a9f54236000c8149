// What the generated client takes from Unity, over .NET's own HTTP: enough to compile and to play it without Unity.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;

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

    public class UnityWebRequestAsyncOperation { public event Action<UnityWebRequestAsyncOperation> completed; internal void Complete() => completed?.Invoke(this); }

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
        readonly HttpWebRequest request;
        readonly byte[] body;
        Dictionary<string, string> headers;

        public UnityWebRequest(string uri, string method, byte[] body = null)
        {
            request = WebRequest.CreateHttp(uri);
            this.method = method;
            this.body = body;
        }
        public static UnityWebRequest Put(string uri, string body) => Put(uri, Encoding.UTF8.GetBytes(body));
        public static UnityWebRequest Put(string uri, byte[] body) => new UnityWebRequest(uri, "PUT", body) { downloadHandler = new DownloadHandlerBuffer() };
        public static UnityWebRequest Post(string uri, object form) => throw new NotSupportedException();

        public void SetRequestHeader(string name, string value)
        {
            switch (name)
            {
                case "Content-Type": request.ContentType = value; break;
                case "Accept": request.Accept = value; break;
                case "User-Agent": request.UserAgent = value; break;
                default: request.Headers[name] = value; break;
            }
        }
        public Dictionary<string, string> GetResponseHeaders() => headers;
        public string GetResponseHeader(string name) => headers.FirstOrDefault(h => h.Key.ToLower() == name.ToLower()).Value;

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            var operation = new UnityWebRequestAsyncOperation();
            Task.Run(() => { Send(); operation.Complete(); });
            return operation;
        }

        void Send()
        {
            request.Method = method;
            try
            {
                if (body != null) using (var stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
                Read((HttpWebResponse)request.GetResponse(), Result.Success);
            }
            catch (WebException e) when (e.Response != null) { Read((HttpWebResponse)e.Response, Result.ProtocolError); }
            catch (Exception e) { error = e.Message; result = Result.ConnectionError; }
        }

        void Read(HttpWebResponse response, Result result)
        {
            using (response)
            {
                var memory = new MemoryStream();
                response.GetResponseStream().CopyTo(memory);
                if (downloadHandler != null) downloadHandler.data = memory.ToArray();
                headers = response.Headers.AllKeys.ToDictionary(name => name, name => response.Headers[name]);
                responseCode = (long)response.StatusCode;
                this.result = result;
                if (result == Result.ProtocolError) error = "HTTP/1.1 " + responseCode;
            }
        }
        public void Abort() => request.Abort();
        public void Dispose() { }
    }
}
