#nullable enable
using System;

namespace RanchGame
{
    // Verdict is what a failed refresh means: the session has ended, or is doubtful (which the service answers to a token
    // that does not verify, and to an unexpected failure of its own), or the failure says nothing of the session.
    internal enum Verdict { Failed, Doubtful, Refused, Banned }

    internal static class Verdicts
    {
        private static readonly TimeSpan believedAfter = TimeSpan.FromHours(1);
        private static readonly TimeSpan unbrokenBy = TimeSpan.FromMinutes(10);

        public static Verdict Of(RanchException failure)
        {
            if (!(failure is ApiException api)) return Verdict.Failed;
            if (api.Status == 400 && api.Code == Code.MissingToken) return Verdict.Refused;
            if (api.Status == 401 && api.Code == Code.Unauthorized) return Verdict.Banned;
            if (api.Status != 401 || api.Code != Code.InvalidToken) return Verdict.Failed;
            return api.Said == "Refresh token invalid or expired" ? Verdict.Refused : Verdict.Doubtful;
        }

        // Doubted notes a doubtful refusal in a session. It returns null if the session has ended by it, because there was
        // nothing else for an hour. Asked seldom, or by a clock that was set back, the hour begins anew.
        public static Session? Doubted(Session session, DateTimeOffset now)
        {
            var isUnbroken = session.RefusedSince <= session.RefusedLast && session.RefusedLast <= now && now - session.RefusedLast <= unbrokenBy;
            if (!isUnbroken) return session.Doubted(now, now);
            return now - session.RefusedSince >= believedAfter ? null : session.Doubted(session.RefusedSince!.Value, now);
        }
    }
}
