#nullable enable
using System;

namespace RanchGame
{
    // Verdict is the meaning of a failed refresh. Refused and Banned: the session has ended. Doubtful: either the
    // service cannot verify the token, or it has an unexpected failure. Failed: nothing is known about the session.
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

        // Doubted notes a doubtful refusal in a session. After an hour without another answer, the session has ended,
        // and the result is null. After a gap of over ten minutes, or if the clock was set back, the hour starts again.
        public static Session? Doubted(Session session, DateTimeOffset now)
        {
            var isUnbroken = session.RefusedSince <= session.RefusedLast && session.RefusedLast <= now && now - session.RefusedLast <= unbrokenBy;
            if (!isUnbroken) return session.Doubted(now, now);
            return now - session.RefusedSince >= believedAfter ? null : session.Doubted(session.RefusedSince!.Value, now);
        }
    }
}
