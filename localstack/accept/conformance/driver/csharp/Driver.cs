// The driver of the C# client, which `make csharp` builds. ../README.md has the protocol. With the argument "unity",
// the client runs on one thread and with UnityWebRequestTransport, on stand-ins of Unity (Unity.cs). With "units", the
// program only runs the tests of Units.cs.
#nullable enable
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using RanchGame;
using RanchGame.Unity;

internal static class Driver
{
    private static readonly ConcurrentDictionary<string, ISessionStore> stores = new ConcurrentDictionary<string, ISessionStore>();
    private static readonly ConcurrentDictionary<string, Driven> clients = new ConcurrentDictionary<string, Driven>();
    private static readonly ConcurrentDictionary<long, CancellationTokenSource> underWay = new ConcurrentDictionary<long, CancellationTokenSource>();
    private static readonly StreamWriter output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
    private static bool isUnity;

    // Driven is a client with its clock and delays.
    private sealed class Driven
    {
        public RanchClient? Client;
        public TimeSpan Forward;
        public List<object?> Delays = new List<object?>();
    }

    private static void Main(string[] arguments)
    {
        if (arguments.Contains("units"))
        {
            Units.Check();
            return;
        }
        isUnity = arguments.Contains("unity");
        if (isUnity) UnityEngine.Player.Start();
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (var line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            var request = JsonObject.Of(Json.Parse(line));
            underWay[request.Long("id")] = new CancellationTokenSource();
            if (isUnity) UnityEngine.Player.Do(() => _ = ServeAsync(request));
            else if (request.Text("op") == "new") ServeAsync(request).Wait(); // so that the client exists before the next request
            else Task.Run(() => ServeAsync(request));
        }
        Environment.Exit(0); // even if calls are under way
    }

    private static async Task ServeAsync(JsonObject request)
    {
        var id = request.Long("id");
        var cancelling = underWay[id];
        try
        {
            Write(Json.Object("id", id, "ok", Tree(await DoAsync(request, cancelling.Token))));
        }
        catch (Exception error)
        {
            Write(Json.Object("id", id, "error", Describe(error)));
        }
        finally
        {
            underWay.TryRemove(id, out _);
        }
    }

    private static async Task<object?> DoAsync(JsonObject request, CancellationToken cancel)
    {
        var name = request.Text("client");
        switch (request.Text("op"))
        {
            case "new":
                clients[name] = New(name, request);
                return null;
            case "clock":
                clients[name].Forward += TimeSpan.FromMilliseconds(request.Number("forwardMs"));
                return null;
            case "peek":
                return await StoreOf(request.Text("store")).LoadAsync();
            case "plant":
                var planted = Session.Parse(request.Object("args", a => a).ToString());
                await StoreOf(request.Text("store")).UpdateAsync(_ => planted);
                return null;
            case "cancel":
                if (underWay.TryGetValue(request.Long("of"), out var cancelling)) cancelling.Cancel();
                return null;
            case "delays":
                lock (clients[name]) return Interlocked.Exchange(ref clients[name].Delays, new List<object?>());
            default:
                return await CallAsync(clients[name].Client!, request.Text("op"), request.ObjectOrNull("args", a => a) ?? JsonObject.Of(Json.Object()), cancel);
        }
    }

    private static async Task<object?> CallAsync(RanchClient client, string op, JsonObject a, CancellationToken cancel)
    {
        string show = a.Text("show");
        var shows = new ShowFilter { Tier = a.TextOrNull("tier"), Status = a.TextOrNull("status") };
        switch (op)
        {
            case "register":
                var registration = new Registration { Email = a.Text("email"), Username = a.Text("username"), Password = a.Text("password"), RanchName = a.Text("ranchName") };
                return await client.RegisterAsync(registration, cancel);
            case "login": return await client.LoginAsync(a.Text("email"), a.Text("password"), cancel);
            case "changePassword":
                await client.ChangePasswordAsync(a.Text("current"), a.Text("next"), cancel);
                return null;
            case "changeEmail": return await client.ChangeEmailAsync(a.Text("email"), a.Text("password"), cancel);
            case "deleteAccount":
                await client.DeleteAccountAsync(a.TextOrNull("password"), cancel);
                return null;
            case "logout":
                await client.LogoutAsync(cancel);
                return null;
            case "session": return await client.SessionAsync(cancel);
            case "animals": return await client.AnimalsAsync(cancel);
            case "me": return await client.MeAsync(cancel);
            case "season": return await client.SeasonAsync(cancel);
            case "shows": return await client.ShowsAsync(shows, cancel);
            case "eachShow": return await AllAsync(client.EachShow(shows), cancel);
            case "eachOwnEntry": return await AllAsync(client.EachOwnEntry(new OwnFilter { Show = a.TextOrNull("show"), Unclaimed = a.FlagOrNull("unclaimed") == true, Limit = a.IntOrNull("limit") }), cancel);
            case "eachEntry": return await AllAsync(client.EachEntry(show, new EntriesAt { Limit = a.IntOrNull("limit") }), cancel);
            case "showEntries": return await client.ShowEntriesAsync(show, new EntriesAt { AroundMe = a.Text("around") == "me", Limit = a.IntOrNull("limit") }, cancel);
            case "standings":
                var ranking = await client.StandingsAsync(new StandingsAt { AroundMe = a.Text("around") == "me", Limit = a.IntOrNull("limit") }, cancel);
                return new { ranking.Page.Me, ranking.Page.Standings, ranking.Next, ranking.Prev };
            case "show": return await client.ShowAsync(show, cancel);
            case "enter": return await client.EnterAsync(show, a.Text("animal"), cancel);
            case "judge": return await client.JudgeAsync(show, cancel);
            case "claim": return await client.ClaimAsync(show, cancel);
            case "serverTime": return client.ServerTime.ToUnixTimeMilliseconds();
            default: throw new ArgumentException($"there is no operation {op}");
        }
    }

    private static async Task<object?> AllAsync<T>(IAsyncEnumerable<T> items, CancellationToken cancel)
    {
        var all = new List<T>();
        await foreach (var item in items.WithCancellation(cancel)) all.Add(item);
        return all;
    }

    private static Driven New(string name, JsonObject request)
    {
        var driven = new Driven();
        var options = isUnity ? RanchUnity.Options() : new ClientOptions();
        var store = StoreOf(request.Text("store"));
        options.Store = request.IntOrNull("slowMs") is int slow ? new SlowStore(store, slow) : store;
        options.Attempts = request.IntOrNull("attempts");
        if (request.IntOrNull("timeoutMs") is int timeout) options.Timeout = TimeSpan.FromMilliseconds(timeout);
        options.OnEvent = happened => Write(Json.Object("event", Told(happened), "client", name));
        options.Now = () => DateTimeOffset.UtcNow + driven.Forward;
        var isStuck = request.Flag("stuck");
        options.Wait = async (delay, cancel) =>
        {
            lock (driven) driven.Delays.Add((long)Math.Round(delay.TotalMilliseconds));
            if (isStuck) await Task.Delay(Timeout.Infinite, cancel);
            cancel.ThrowIfCancellationRequested();
        };
        driven.Client = new RanchClient(request.Text("api"), options);
        return driven;
    }

    private static ISessionStore StoreOf(string name)
    {
        if (name == "") return new MemoryStore();
        return stores.GetOrAdd(name, _ =>
        {
            if (name.StartsWith("file:")) return new FileStore(name.Substring("file:".Length), isUnity ? RanchUnity.DelayAsync : (Func<TimeSpan, CancellationToken, Task>)Task.Delay);
            return isUnity ? (ISessionStore)new PlayerPrefsStore(name) : new MemoryStore();
        });
    }

    // SlowStore waits before each operation, and again after it.
    private sealed class SlowStore : ISessionStore
    {
        private readonly ISessionStore store;
        private readonly int milliseconds;

        public SlowStore(ISessionStore store, int milliseconds) => (this.store, this.milliseconds) = (store, milliseconds);

        public async Task<Session?> LoadAsync()
        {
            await PauseAsync();
            var session = await store.LoadAsync();
            await PauseAsync();
            return session;
        }

        public async Task UpdateAsync(Func<Session?, Session?> change)
        {
            await PauseAsync();
            await store.UpdateAsync(change);
            await PauseAsync();
        }

        public Task<IDisposable> LockAsync(CancellationToken cancel) => store.LockAsync(cancel);

        private Task PauseAsync()
        {
            var pause = TimeSpan.FromMilliseconds(milliseconds);
            return isUnity ? RanchUnity.DelayAsync(pause, default) : Task.Delay(pause);
        }
    }

    private static object Told(SessionEvent happened)
    {
        var told = Json.Object("kind", Small(happened.Kind.ToString()));
        if (happened.Kind == SessionEventKind.SessionEnded) told["reason"] = Small(happened.Reason.ToString());
        return told;
    }

    private static Dictionary<string, object?> Describe(Exception? error)
    {
        switch (error)
        {
            case ApiException api:
                var said = Json.Object("kind", "api", "status", api.Status, "code", api.Code, "message", api.Said, "requestId", api.RequestId);
                if (api.Details.Count > 0) said["details"] = api.Details.ToDictionary(d => d.Key, d => (object?)d.Value.Cast<object?>().ToList());
                return said;
            case NetworkException _: return Json.Object("kind", "network", "message", error.Message);
            case UnknownOutcomeException unknown:
                return Json.Object("kind", "unknown", "operation", unknown.Operation, "advice", unknown.Advice, "cause", Describe(unknown.InnerException));
            case SessionEndedException ended: return Json.Object("kind", "ended", "reason", Small(ended.Reason.ToString()));
            case OperationCanceledException _: return Json.Object("kind", "cancelled");
            default: return Json.Object("kind", "other", "message", error?.ToString());
        }
    }

    // Tree returns the JSON of a client's result, with the contract's names.
    private static object? Tree(object? value)
    {
        switch (value)
        {
            case null: case string _: case bool _: case int _: case long _: case double _: return value;
            case DateTimeOffset time: return Instant.Write(time);
            case Session session: return Json.Parse(session.ToJson());
            case IEnumerable items: return items.Cast<object?>().Select(Tree).ToList();
            default: return value.GetType().GetProperties().ToDictionary(p => NameOf(value, p.Name), p => Tree(p.GetValue(value)));
        }
    }

    private static string NameOf(object value, string property)
    {
        if (value is Animal && property == "BornAt") return "born_at";
        if (value is Animal && property == "DiedAt") return "died_at";
        if (value is Animal && property == "RarityTier") return "rarity_tier";
        return Small(property);
    }

    private static string Small(string name) => char.ToLowerInvariant(name[0]) + name.Substring(1);

    private static void Write(object message)
    {
        var line = Json.Write(message);
        lock (output) output.WriteLine(line);
    }
}
