// Tests of the C# client that no scenario covers.
#nullable enable
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RanchGame;

internal static class Units
{
    private const string Token = "a.b.c";
    private const string LoggedIn = "{\"token\":\"a.b.c\",\"refreshToken\":\"d.e.f\",\"user\":{\"id\":\"1\",\"username\":\"ada\",\"tomorrow\":[{}]}}";

    private static int checks;

    // Check prints each failure, and then the number of checks.
    public static void Check()
    {
        JsonIsReadAndWritten();
        SessionsAreReadAndWritten();
        Favourites();
        AddressesAreSafeOrRefused();
        StoresMayFailAsync().Wait();
        FilesAreSharedAsync().Wait();
        ListenersMayThrowAsync().Wait();
        TransportsMayThrowAsync().Wait();
        TurnsAreTakenInOrderAsync().Wait();
        Console.WriteLine($"{checks} checks");
    }

    private static void Equal<T>(T got, T want, string what)
    {
        checks++;
        if (!EqualityComparer<T>.Default.Equals(got, want)) Console.WriteLine($"WRONG: {what}: got {got}, want {want}");
    }

    private static async Task<T?> ThrownAsync<T>(Func<Task> call) where T : Exception
    {
        try
        {
            await call();
        }
        catch (T error)
        {
            return error;
        }
        return null;
    }

    private static void JsonIsReadAndWritten()
    {
        foreach (var text in new[]
        {
            "{}", "[]", "null", "true", "\"\"", "-1", "9223372036854775807", "1.5", "{\"a\":[1,{\"b\":null}],\"c\":\"\\\"\\\\\"}", "\"\\u0000\\u001f 🐄 \u2028\"",
        })
            Equal(Json.Write(Json.Parse(text)), text, "what was read and written again");
        Equal(Json.Parse(" [ 1 , 2.0 ,\"\\ud83d\\udc04\\/\\n\" ] ") is List<object?> list && list.SequenceEqual(new object[] { 1L, 2.0, "🐄/\n" }), true, "a list with white space");
        foreach (var text in new[]
        {
            "", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "\"", "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\u 123\"", "tru", "nul", "+1", "--1", ".5", "-", "1 2", "NaN", "[]]", "<html>",
            new string('[', 200) + new string(']', 200), "{\"a\":1}\0",
        })
            Equal(Json.ParseOrNull(text), null, "what is no JSON: " + text);
    }

    private static void SessionsAreReadAndWritten()
    {
        const string Stored = "{\"api\":\"https://a\",\"userId\":\"1\",\"username\":\"ada\",\"token\":\"a.b.c\",\"refreshToken\":\"d.e.f\","
            + "\"receivedAt\":\"2026-11-25T10:00:00.123Z\",\"lifetimeMs\":900000,\"aheadMs\":-1500,\"refusedSince\":\"2026-11-25T10:00:00.000Z\",\"refusedLast\":\"2026-11-25T10:01:00.000Z\"}";
        var session = Session.Parse(Stored);
        Equal(session?.ToJson(), Stored, "a session that was read and written again");
        Equal(session?.ToString(), "session of ada at https://a", "what is printed of a session");
        Equal(Session.Parse(Stored.Replace("10:00:00.123Z", "12:00:00.123456789+02:00"))?.ReceivedAt.Millisecond, 123, "the milliseconds of another client's session");
        foreach (var (name, value) in new[]
        {
            ("\"token\":\"a.b.c\"", "\"token\":\"a.b\\n.c\""), ("\"aheadMs\":-1500", "\"aheadMs\":1e300"), ("\"lifetimeMs\":900000,", ""), ("\"userId\":\"1\"", "\"userId\":1"),
            ("\"receivedAt\":\"2026", "\"receivedAt\":\"26"),
        })
            Equal(Session.Parse(Stored.Replace(name, value)), null, "a session with " + value);
        foreach (var token in new[] { "a.b.c", "a.e30.c", "a.eyJpYXQiOiIxIn0.c", "a.eyJpYXQiOjEsImV4cCI6MX0.c", "a." + new string('x', 5) + ".c" })
            Equal(TokenTimes.Of(token), null, "the times of " + token);
    }

    private static void Favourites()
    {
        foreach (var id in new[] { "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f", "6F9D1C2E-8A4B-4C3D-9E5F-0A1B2C3D4E5F" }) // docs/scoring.md
            Equal(string.Join(" ", Trait.Favourites(id)), "growthRateScore fertilityScore", "the favourites of " + id);
        var phenotype = new Phenotype(JsonObject.Of(Json.Object(Trait.All.SelectMany((trait, i) => new object[] { trait.Name, (long)i }).ToArray())));
        Equal(string.Join("", Trait.All.Select(trait => trait.Of(phenotype))), "01234567", "the values of the traits");
    }

    private static void AddressesAreSafeOrRefused()
    {
        foreach (var api in new[] { "https://example.com", "http://localhost:3000", "http://127.0.0.2", "http://[::1]:1", "HTTP://LOCALHOST" })
            Equal(RanchClient.IsSafe(api), true, api);
        foreach (var api in new[] { "http://example.com", "http://10.0.0.1", "http://localhost.example.com", "http://127.0.0.1.example.com", "HTTP://example.com" })
        {
            Equal(RanchClient.IsSafe(api), false, api);
            Equal(ThrownAsync<ArgumentException>(() => Task.FromResult(new RanchClient(api))).Result != null, true, api + " is refused");
        }
        Equal(new RanchClient("http://example.com", new ClientOptions { AllowHttp = true }) != null, true, "an address that is allowed");
    }

    // Answers answers requests by their path.
    private sealed class Answers : ITransport
    {
        private readonly Func<string, string> answer;

        public Answers(Func<string, string> answer) => this.answer = answer;

        public Task<TransportAnswer> SendAsync(TransportRequest request, CancellationToken cancel) =>
            Task.FromResult(new TransportAnswer(200, new Dictionary<string, string>(), answer(new Uri(request.Url).AbsolutePath)));
    }

    private static readonly ITransport service = new Answers(path => path == "/auth/login" ? LoggedIn : path == "/auth/logout" ? "{\"success\":true}" : "[]");

    // Failing is a store that always fails and has no lock.
    private sealed class Failing : ISessionStore
    {
        public Task<Session?> LoadAsync() => throw new IOException("no disk");

        public Task UpdateAsync(Func<Session?, Session?> change) => throw new IOException("no disk");

        public Task<IDisposable> LockAsync(CancellationToken cancel) => throw new NotSupportedException();
    }

    private static async Task StoresMayFailAsync()
    {
        var ranch = new RanchClient("https://a", new ClientOptions { Store = new Failing(), Transport = service });
        Equal((await ranch.LoginAsync("a@example.com", "p")).Username, "ada", "the player");
        Equal((await ranch.SessionAsync())?.Token, Token, "the session that cannot be stored");
        Equal((await ranch.AnimalsAsync()).Count, 0, "the animals");
        var error = await ThrownAsync<StoreException>(() => ranch.LogoutAsync());
        Equal(error?.InnerException is IOException, true, "the reason of a log-out that cannot be stored");
        Equal(await ranch.SessionAsync(), null, "the session after a log-out");
        var none = await new Sturdy(new Failing(), "https://a", Task.Delay).LockAsync(TimeSpan.FromMinutes(1), default);
        Equal(none != null, true, "the lock of a store that has none");
    }

    private static async Task FilesAreSharedAsync()
    {
        var folder = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"));
        var path = Path.Combine(folder, "deep", "session.json");
        try
        {
            var one = new RanchClient("https://a", new ClientOptions { Store = new FileStore(path), Transport = service });
            var other = new RanchClient("https://a", new ClientOptions { Store = new FileStore(path), Transport = service });
            await one.LoginAsync("a@example.com", "p");
            await one.LoginAsync("a@example.com", "p"); // instead of the file's session
            Equal((await other.SessionAsync())?.Username, "ada", "the session of the other client");
            Equal(string.Join(" ", Directory.GetFiles(Path.GetDirectoryName(path)!).Select(Path.GetFileName).OrderBy(name => name, StringComparer.Ordinal)),
                "session.json session.json.update", "the files");
            await other.LogoutAsync();
            Equal(await one.SessionAsync(), null, "the session after a log-out");
            using (await new FileStore(path).LockAsync(default))
            {
                using var cancelling = new CancellationTokenSource();
                var waiting = new FileStore(path).LockAsync(cancelling.Token);
                Equal(waiting.IsCompleted, false, "a lock that another holds");
                cancelling.Cancel();
                Equal(await ThrownAsync<OperationCanceledException>(() => waiting) != null, true, "a lock that is given up");
            }
            (await new FileStore(path).LockAsync(default)).Dispose();
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }

    private static async Task ListenersMayThrowAsync()
    {
        System.Diagnostics.Trace.Listeners.Clear();
        var ranch = new RanchClient("https://a", new ClientOptions { Transport = service, OnEvent = _ => throw new InvalidOperationException("mine") });
        Equal((await ranch.LoginAsync("a@example.com", "p")).Username, "ada", "the player whose listener throws");
        var frames = new Frames();
        SynchronizationContext.SetSynchronizationContext(frames);
        Equal(ranch.LogoutAsync().IsCompleted, true, "a log-out whose listener throws");
        SynchronizationContext.SetSynchronizationContext(null);
        Equal((await ThrownAsync<InvalidOperationException>(() => Task.Run(frames.Posted!)))?.Message, "mine", "what the next frame throws");
    }

    private sealed class Frames : SynchronizationContext
    {
        public Action? Posted { get; private set; }

        public override void Post(SendOrPostCallback work, object? state) => Posted = () => work(state);
    }

    private static async Task TransportsMayThrowAsync()
    {
        var ranch = new RanchClient("https://a", new ClientOptions
        {
            Transport = new Answers(path => path == "/auth/login" ? LoggedIn : throw new InvalidOperationException("broken")), Delay = (_, __) => Task.CompletedTask,
        });
        await ranch.LoginAsync("a@example.com", "p");
        Equal((await ThrownAsync<NetworkException>(() => ranch.AnimalsAsync()))?.InnerException?.Message, "broken", "what a transport has thrown");
        Equal((await ThrownAsync<UnknownOutcomeException>(() => ranch.EnterAsync("1", "2")))?.Operation, "enter", "a change whose transport has thrown");
    }

    private static async Task TurnsAreTakenInOrderAsync()
    {
        var turn = new Turn();
        var first = await turn.TakeAsync();
        using var cancelling = new CancellationTokenSource();
        Task<IDisposable> given = turn.TakeAsync(cancelling.Token), last = turn.TakeAsync();
        cancelling.Cancel();
        Equal(await ThrownAsync<OperationCanceledException>(() => given) != null, true, "a turn that is given up");
        Equal(last.IsCompleted, false, "a turn whose time has not come");
        first.Dispose();
        (await last).Dispose();
        (await turn.TakeAsync()).Dispose();
        checks++;
    }
}
