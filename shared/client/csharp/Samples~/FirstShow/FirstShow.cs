using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using RanchGame;
using RanchGame.Unity;
using UnityEngine;

/// <summary>Plays one show, from the registration to the prize, and writes each step on the screen.</summary>
public sealed class FirstShow : MonoBehaviour
{
    [SerializeField] private string api = "http://127.0.0.1:3000";

    private readonly CancellationTokenSource destroyed = new CancellationTokenSource();
    private readonly List<string> lines = new List<string>();

    private async void Start()
    {
        try
        {
            var options = RanchUnity.Options();
            options.Store = new MemoryStore(); // a new player each time; without this line PlayerPrefs keep the session
            options.OnEvent = happened => Say($"({happened.Kind})");
            var ranch = new RanchClient(api, options);
            var cancel = destroyed.Token;

            if (await ranch.SessionAsync(cancel) == null) await ranch.RegisterAsync(Guest(), cancel);
            Say($"You have {(await ranch.MeAsync(cancel)).GoldBalance} gold.");

            // The rookie show that closes last.
            var shows = await ranch.ShowsAsync(new ShowFilter { Tier = "rookie" }, cancel);
            var show = shows.LastOrDefault(s => s.EntryClosesAt > ranch.ServerTime);
            if (show == null)
            {
                Say("No show takes entries at the moment.");
                return;
            }

            // The animal that is best in the show's favourite traits.
            var favourites = Trait.Favourites(show.Id);
            Say($"The judges of {show.Name} look for {favourites[0]} and {favourites[1]}.");
            var animals = await ranch.AnimalsAsync(cancel);
            var best = animals.Where(a => a.Phenotype != null).OrderByDescending(a => favourites.Sum(trait => trait.Of(a.Phenotype))).First();

            Say((await ranch.EnterAsync(show.Id, best.Id, cancel)).Message);
            Say((await ranch.JudgeAsync(show.Id, cancel)).Message);
            Say((await ranch.ClaimAsync(show.Id, cancel)).Message);
            Say($"You have {(await ranch.MeAsync(cancel)).GoldBalance} gold.");
        }
        catch (UnknownOutcomeException error)
        {
            Say(error.Advice);
        }
        catch (RanchException error)
        {
            Say(error.Message); // a sentence for the player
        }
        catch (OperationCanceledException)
        {
            // The player has left the scene.
        }
    }

    private static Registration Guest()
    {
        var name = "unity-" + Guid.NewGuid().ToString("N").Substring(0, 12);
        return new Registration { Email = name + "@example.com", Username = name, Password = Guid.NewGuid().ToString(), RanchName = "Sunny Acres" };
    }

    private void Say(string line)
    {
        lines.Add(line);
        Debug.Log(line);
    }

    private void OnGUI()
    {
        foreach (var line in lines) GUILayout.Label(line);
    }

    private void OnDestroy() => destroyed.Cancel();
}
