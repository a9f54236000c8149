// Plays the loop with the client that openapi-generator makes for Unity.
using System;
using System.Linq;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using RanchGame.Api;
using RanchGame.Client;
using RanchGame.Model;

static class Play
{
    static void Main(string[] args) => Loop(args[0], args[1], args[2]).GetAwaiter().GetResult();

    static async Task Loop(string api, string username, string showName)
    {
        var guest = new AccountApi(api);
        var player = await guest.RegisterAsync(new Registration(username + "@example.com", username, "a long password", "Sunny Acres"));
        var config = new Configuration { BasePath = api, AccessToken = player.Token };
        var shows = new ShowsApi(config);
        var animal = (await new RanchApi(config).ListAnimalsAsync()).First();
        var show = (await shows.ListShowsAsync(tier: "rookie")).First(s => s.Name == showName);
        await shows.EnterShowAsync(show.Id, new EntryRequest(animal.Id));
        string second = "is accepted";
        try
        {
            await shows.EnterShowAsync(show.Id, new EntryRequest(animal.Id));
        }
        catch (ApiException e)
        {
            second = e.ErrorCode + " " + JObject.Parse((string)e.ErrorContent)["error"];
        }
        await shows.JudgeShowAsync(show.Id);
        var prize = await shows.ClaimRewardAsync(show.Id);
        var me = await new AccountApi(config).GetMeAsync();
        var season = await new SeasonApi(config).GetSeasonAsync();
        Console.WriteLine($"{me.Status}, {me.GoldBalance} gold, rank {prize.Rank}, season score {season.MySeasonScore}, second entry {second}");
    }
}
