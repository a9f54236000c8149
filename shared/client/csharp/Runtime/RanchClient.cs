#nullable enable
using System;
using System.Collections.Generic;
using System.Net;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>The options of a client. The defaults are right for a game.</summary>
    public sealed class ClientOptions
    {
        /// <summary>Null: HttpClientTransport.Shared.</summary>
        public ITransport? Transport { get; set; }
        /// <summary>Where to keep the session; null: in memory. Clients that share a store share a session.</summary>
        public ISessionStore? Store { get; set; }
        /// <summary>Gets each change of the session. It must not wait for a call of the client.</summary>
        public Action<SessionEvent>? OnEvent { get; set; }
        /// <summary>The time limit of one attempt; null: 10 s, or 35 s for judgings and deletions, which may
        /// take 30 s.</summary>
        public TimeSpan? Timeout { get; set; }
        /// <summary>The most attempts of one call; null: 4.</summary>
        public int? Attempts { get; set; }
        /// <summary>Allows http:// addresses of other machines. Anyone on the way can read passwords and
        /// tokens.</summary>
        public bool AllowHttp { get; set; }
        /// <summary>Waits for a duration. If the token is cancelled, it throws. Null: Task.Delay.</summary>
        public Func<TimeSpan, CancellationToken, Task>? Delay { get; set; }
        /// <summary>For tests: waits between attempts. Null: Delay.</summary>
        public Func<TimeSpan, CancellationToken, Task>? Wait { get; set; }
        /// <summary>For tests. Null: this machine's clock.</summary>
        public Func<DateTimeOffset>? Now { get; set; }
        /// <summary>For tests: a number from 0 to below 1, for the jitter. Null: a random one.</summary>
        public Func<double>? Random { get; set; }
    }

    /// <summary> Calls the API as one player. Concurrent calls are allowed. Calls throw a <see cref="RanchException"/>,
    /// or an <see cref="OperationCanceledException"/> if their token is cancelled. A call continues in the context in
    /// which it was awaited, in Unity on the main thread: do not block on Result or Wait() there.
    /// </summary>
    public sealed partial class RanchClient
    {
        private readonly Keeper keeper;
        private readonly Caller caller;
        private readonly TimeSpan longTimeout;

        /// <summary>Makes a client of the API at a base URL, and sends nothing. If the address is http:// and of
        /// another machine, it throws an ArgumentException, unless the options allow such addresses.</summary>
        public RanchClient(string api, ClientOptions? options = null)
        {
            options = options ?? new ClientOptions();
            if (!options.AllowHttp && !IsSafe(api))
                throw new ArgumentException($"anybody on the way to {api} could read the password or the token: use https://, or set AllowHttp", nameof(api));
            var timeout = options.Timeout ?? TimeSpan.FromSeconds(10);
            longTimeout = options.Timeout ?? TimeSpan.FromSeconds(35);
            var wire = new Wire(api.TrimEnd('/'), options.Transport ?? HttpClientTransport.Shared);
            var delay = options.Delay ?? Task.Delay;
            var patience = new Patience(options.Attempts ?? 4, options.Wait ?? delay, options.Random ?? Chance);
            var told = new Told(options.OnEvent ?? (_ => { }));
            var store = new Sturdy(options.Store ?? new MemoryStore(), wire.Api, delay);
            keeper = new Keeper(store, wire, patience, told, timeout, options.Now ?? (() => DateTimeOffset.UtcNow));
            caller = new Caller(wire, patience, keeper, told, timeout);
        }

        /// <summary>Reports whether no other machine can read requests to an API, because they use TLS or stay on this
        /// machine.</summary>
        public static bool IsSafe(string api)
        {
            if (!Uri.TryCreate(api, UriKind.Absolute, out var url) || url.Scheme != Uri.UriSchemeHttp) return true; // a wrong address fails by itself
            return url.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || IPAddress.TryParse(url.DnsSafeHost, out var address) && IPAddress.IsLoopback(address);
        }

        /// <summary>Returns the session from the store, or null if the player must log in.</summary>
        public Task<Session?> SessionAsync(CancellationToken cancel = default) => keeper.LoadAsync().UnlessCancelled(cancel);

        /// <summary>The time of the service's clock, for countdowns. It is exact to the second. Before the first access
        /// token, it is this machine's time.</summary>
        public DateTimeOffset ServerTime => keeper.ServerTime();

        /// <summary>Creates a player with a ranch, gold and three animals, and logs in.</summary>
        public Task<User> RegisterAsync(Registration registration, CancellationToken cancel = default)
        {
            var (email, username, password) = (registration.Email, registration.Username, registration.Password);
            var request = Request.Post("/auth/register", "email", email, "username", username, "password", password, "ranchName", registration.RanchName);
            return caller.ChangeAsync("register", request, new Way(cancel, isOpen: true),
                answer => StartAsync(answer.Read(201, json => new LoggedIn<User>(json, user => new User(user)))),
                async (last, _) =>
                {
                    if (last is ApiException refusal && refusal.IsRule && refusal.Code != Code.Conflict) return null;
                    try
                    {
                        var loggedIn = await LogInAsync(email, password, user => new User(user), cancel);
                        return loggedIn.Username == username ? await StartAsync(loggedIn) : null;
                    }
                    catch (ApiException error) when (error.IsRule)
                    {
                        return null;
                    }
                });
        }

        /// <summary>Logs in. The new session replaces the old one, which the service does not end.</summary>
        public async Task<Account> LoginAsync(string email, string password, CancellationToken cancel = default) =>
            await StartAsync(await LogInAsync(email, password, user => new Account(user), cancel));

        /// <summary>Ends the session here in any case, and asks the service to end it, too. If the service does not
        /// confirm, it throws: the refresh token may stay valid until it expires. If the store may still have the
        /// session, it throws a StoreException.</summary>
        public async Task LogoutAsync(CancellationToken cancel = default)
        {
            var (session, failure) = await keeper.EndAsync();
            if (session == null) return;
            try
            {
                var answer = await caller.SendAsync(Request.Post("/auth/logout", "refreshToken", session.RefreshToken), new Way(cancel, isOpen: true));
                answer.Read(200, json => json.Done());
            }
            catch (Exception error) when (failure != null)
            {
                throw new StoreException(new AggregateException(failure, error));
            }
            if (failure != null) throw new StoreException(failure);
        }

        /// <summary>Changes the player's password. Every other session of the player ends, and this client goes on with a
        /// new one. A wrong password is an ApiException with the code INVALID_CREDENTIALS.</summary>
        public async Task ChangePasswordAsync(string currentPassword, string newPassword, CancellationToken cancel = default)
        {
            var session = await keeper.CurrentAsync(null, null, cancel);
            async Task<object> Start(Answer answer)
            {
                var (token, refreshToken) = answer.Read(200, json => (TokenTimes.Required(json, "token"), TokenTimes.Required(json, "refreshToken")));
                await keeper.StartAsync(session.UserId, session.Username, token, refreshToken, own: true);
                return answer;
            }
            var request = Request.Put("/me/password", "currentPassword", currentPassword, "newPassword", newPassword);
            await caller.ChangeAsync<object>("changePassword", request, new Way(cancel, player: session.UserId), Start,
                async (_, player) =>
                {
                    // The access token outlives the change, so the client can read the address to log in with.
                    var email = (await PlayerAsync(player, cancel)).Email;
                    try
                    {
                        return await Start(await caller.SendAsync(Request.Post("/auth/login", "email", email, "password", newPassword), new Way(cancel, isOpen: true)));
                    }
                    catch (ApiException error) when (error.IsRule)
                    {
                        return null;
                    }
                });
        }

        /// <summary>Changes the player's e-mail address, and returns the player. Sessions stay.</summary>
        public Task<Player> ChangeEmailAsync(string email, string password, CancellationToken cancel = default) =>
            caller.ChangeAsync("changeEmail", Request.Put("/me/email", "email", email, "password", password), new Way(cancel),
                answer => Task.FromResult(answer.Read(200, json => new Player(json.Identified()))),
                async (_, id) =>
                {
                    var player = await PlayerAsync(id, cancel);
                    return player.Email == email.ToLowerInvariant() ? player : null;
                });

        /// <summary>Deletes the player's account, and ends the session here. An account without a password needs
        /// none.</summary>
        public async Task DeleteAccountAsync(string? password = null, CancellationToken cancel = default)
        {
            var request = password == null ? Request.Delete("/me") : Request.Delete("/me", "password", password);
            await caller.ChangeAsync<object>("deleteAccount", request, new Way(cancel, timeout: longTimeout),
                answer => Task.FromResult<object>(answer.Read(200, json => json.Done())),
                async (last, player) =>
                {
                    try
                    {
                        if (last is ApiException refusal && refusal.IsRule) return null;
                        if (!(last is SessionEndedException)) await PlayerAsync(player, cancel);
                    }
                    catch (SessionEndedException error)
                    {
                        last = error;
                    }
                    return last is SessionEndedException ended && ended.Reason == EndReason.Banned ? ended : null; // banned or deleted
                }, looksWithoutSession: true);
            await keeper.EndAsync();
        }

        private async Task<Player> PlayerAsync(string player, CancellationToken cancel) =>
            (await caller.SendAsync(Request.Get("/me"), new Way(cancel, player: player))).Read(200, json => new Player(json.Identified()));

        /// <summary>Returns the first page of shows, 50 at most, by closing time.</summary>
        public async Task<IReadOnlyList<ListedShow>> ShowsAsync(ShowFilter? filter = null, CancellationToken cancel = default) =>
            (await ShowsPageAsync(filter, cancel)).Items;

        /// <summary>Returns a page of at most 50 shows, by closing time.</summary>
        public Task<Page<ListedShow>> ShowsPageAsync(ShowFilter? filter = null, CancellationToken cancel = default) =>
            PageAsync((filter ?? new ShowFilter()).Path, json => new ListedShow(json), new Way(cancel));

        /// <summary>Yields all shows, page by page.</summary>
        public IAsyncEnumerable<ListedShow> EachShow(ShowFilter? filter = null) =>
            EachAsync((filter ?? new ShowFilter()).Path, json => new ListedShow(json));

        /// <summary>Returns a page of the caller's entries, newest first.</summary>
        public Task<Page<OwnEntry>> OwnEntriesAsync(OwnFilter? filter = null, CancellationToken cancel = default) =>
            PageAsync((filter ?? new OwnFilter()).Path, json => new OwnEntry(json), new Way(cancel));

        /// <summary>Yields all entries of the caller, page by page.</summary>
        public IAsyncEnumerable<OwnEntry> EachOwnEntry(OwnFilter? filter = null) =>
            EachAsync((filter ?? new OwnFilter()).Path, json => new OwnEntry(json));

        /// <summary>Returns a page of a show's entries, by rank if the show is completed.</summary>
        public Task<Page<Entry>> ShowEntriesAsync(string showId, EntriesAt? at = null, CancellationToken cancel = default) =>
            PageAsync((at ?? new EntriesAt()).Path(ShowPath(showId)), json => new Entry(json), new Way(cancel));

        /// <summary>Yields a show's entries from the page at on. If the show is judged meanwhile, it goes on in the old
        /// order, without scores.</summary>
        public IAsyncEnumerable<Entry> EachEntry(string showId, EntriesAt? at = null) =>
            EachAsync((at ?? new EntriesAt()).Path(ShowPath(showId)), json => new Entry(json));

        /// <summary>Returns a show with its entries by rank. Entries without a rank are last, by the time of
        /// entry.</summary>
        public Task<ShowDetail> ShowAsync(string id, CancellationToken cancel = default) => GetAsync(ShowPath(id), AsShow, cancel);

        /// <summary>Enters an animal for the show's fee. If an answer gets lost, the client tries again. The fee is
        /// paid once. If the result is Resolved, the entry may be older than this call.</summary>
        public Task<Entered> EnterAsync(string showId, string animalId, CancellationToken cancel = default) =>
            caller.ChangeAsync("enter", Request.Post(ShowPath(showId) + "/enter", "animalId", animalId), new Way(cancel),
                answer => Task.FromResult(answer.Read(201, json => new Entered(Gold(json, "entryFee"), false))),
                async (_, player) => Lookup.EnteredBy(animalId, await OwnAsync(player, showId, cancel)));

        /// <summary>Judges a show. If the result is Resolved, another player may have judged the show.</summary>
        public Task<Judged> JudgeAsync(string showId, CancellationToken cancel = default) =>
            caller.ChangeAsync("judge", Request.Post(ShowPath(showId) + "/judge"), new Way(cancel, timeout: longTimeout),
                answer => Task.FromResult(answer.Read(200, json => new Judged(json.Done(), false))),
                async (_, __) =>
                {
                    try
                    {
                        return Lookup.JudgedAs(await ShowAsync(showId, cancel));
                    }
                    catch (ApiException error) when (error.IsRule && error.Status == 404)
                    {
                        return null;
                    }
                });

        /// <summary>Claims the caller's prize. If an answer gets lost, the client tries again. The prize is paid once.
        /// If the result is Resolved, the claim may be older than this call.</summary>
        public Task<Claimed> ClaimAsync(string showId, CancellationToken cancel = default) =>
            caller.ChangeAsync("claim", Request.Post(ShowPath(showId) + "/claim-reward"), new Way(cancel),
                answer => Task.FromResult(answer.Read(200, json => new Claimed(Gold(json, "goldReward"), false))),
                async (_, player) => Lookup.ClaimedBy(await OwnAsync(player, showId, cancel)));

        /// <summary>Returns the active season with the caller's score, or null if no season is active.</summary>
        public async Task<Season?> SeasonAsync(CancellationToken cancel = default)
        {
            var answer = await caller.SendAsync(Request.Get("/events/season"), new Way(cancel));
            return answer.Read(200, json =>
            {
                if (json.FlagOrNull("active") == false) return null;
                json.RequiredNumber("mySeasonScore");
                return new Season(json);
            });
        }

        /// <summary>Returns a page of a season's standings. If AsOf is another one than on the page before, begin
        /// again.</summary>
        public async Task<Ranking> StandingsAsync(StandingsAt? at = null, CancellationToken cancel = default)
        {
            var answer = await caller.SendAsync(Request.Get((at ?? new StandingsAt()).Path), new Way(cancel));
            return new Ranking(answer.Read(200, json => new StandingsPage(json)), answer.Header("Link"));
        }

        // GetAsync reads an object that has an id.
        private async Task<T> GetAsync<T>(string path, Func<JsonObject, T> read, CancellationToken cancel)
        {
            var answer = await caller.SendAsync(Request.Get(path), new Way(cancel));
            return answer.Read(200, json => read(json.Identified()));
        }

        private async Task<IReadOnlyList<T>> ListAsync<T>(string path, Func<JsonObject, T> read, CancellationToken cancel) =>
            (await PageAsync(path, read, new Way(cancel))).Items;

        private async Task<Page<T>> PageAsync<T>(string path, Func<JsonObject, T> read, Way way)
        {
            var answer = await caller.SendAsync(Request.Get(path), way);
            return new Page<T>(answer.Read(200, (object? body) => JsonObject.List(body, read)), answer.Header("Link"));
        }

        // EachAsync yields the items of the page at the path, and of all pages behind it.
        private async IAsyncEnumerable<T> EachAsync<T>(
            string path, Func<JsonObject, T> read, string? player = null, [EnumeratorCancellation] CancellationToken cancel = default)
        {
            for (string? next = path; next != null;)
            {
                var page = await PageAsync(next, read, new Way(cancel, player: player));
                foreach (var item in page.Items) yield return item;
                next = page.NextPath;
            }
        }

        // OwnAsync returns the entries of a player in a show. If another player has logged in, it throws.
        private async Task<IReadOnlyList<OwnEntry>> OwnAsync(string player, string show, CancellationToken cancel)
        {
            var all = new List<OwnEntry>();
            var filter = new OwnFilter { Show = show, Limit = 50 };
            await foreach (var entry in EachAsync(filter.Path, json => new OwnEntry(json), player, cancel)) all.Add(entry);
            return all;
        }

        private async Task<LoggedIn<T>> LogInAsync<T>(string email, string password, Func<JsonObject, T> read, CancellationToken cancel) where T : class
        {
            var request = Request.Post("/auth/login", "email", email, "password", password);
            return (await caller.SendAsync(request, new Way(cancel, isOpen: true))).Read(200, json => new LoggedIn<T>(json, read));
        }

        private async Task<T> StartAsync<T>(LoggedIn<T> loggedIn) where T : class
        {
            await keeper.StartAsync(loggedIn.UserId, loggedIn.Username, loggedIn.Token, loggedIn.RefreshToken);
            return loggedIn.User;
        }

        // LoggedIn is the answer to a registration and to a log-in.
        private sealed class LoggedIn<T> where T : class
        {
            public T User { get; }
            public string UserId { get; }
            public string Username { get; }
            public string Token { get; }
            public string RefreshToken { get; }

            public LoggedIn(JsonObject json, Func<JsonObject, T> read)
            {
                var user = json.Object("user", fields => fields);
                (User, UserId, Username) = (read(user), user.Required("id"), user.Required("username"));
                (Token, RefreshToken) = (TokenTimes.Required(json, "token"), TokenTimes.Required(json, "refreshToken"));
            }
        }

        private static ShowDetail AsShow(JsonObject json)
        {
            json.Required("status");
            json.RequiredNumber("entryFee");
            json.List("entries", entry => entry.Required("playerId") + entry.Required("animalId"));
            return new ShowDetail(json);
        }

        private static JsonObject Gold(JsonObject json, string name)
        {
            json.Done().RequiredNumber(name);
            return json;
        }

        private static string ShowPath(string id) => "/events/shows/" + Uri.EscapeDataString(id);

        private static readonly Random chance = new Random();

        private static double Chance()
        {
            lock (chance) return chance.NextDouble();
        }
    }
}
