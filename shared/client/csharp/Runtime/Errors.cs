#nullable enable
using System;
using System.Collections.Generic;

namespace RanchGame
{
    /// <summary>The codes of answers, for programs. A later service may add codes.</summary>
    public static partial class Code
    {
        /// <summary>429.</summary>
        public const string TooManyRequests = "TOO_MANY_REQUESTS";
        /// <summary>502, 503, 504.</summary>
        public const string ServiceUnavailable = "SERVICE_UNAVAILABLE";
        /// <summary>The answer is not in the contract.</summary>
        public const string Unexpected = "UNEXPECTED";
    }

    /// <summary>The base of all failures of calls except cancellations. The message is a sentence for people.</summary>
    public abstract class RanchException : Exception
    {
        private protected RanchException(string message, Exception? cause) : base(message, cause) { }
    }

    /// <summary>The service refused or failed. The message is the service's, or else the client's own.</summary>
    public sealed class ApiException : RanchException
    {
        public int Status { get; }
        /// <summary>A code of <see cref="RanchGame.Code"/>, or one of a later service.</summary>
        public string Code { get; }
        /// <summary>The service's sentence, or "".</summary>
        public string Said { get; }
        /// <summary>Of a form, such as a registration: the sentences about each field.</summary>
        public IReadOnlyDictionary<string, IReadOnlyList<string>> Details { get; }
        /// <summary>Finds the request in the service's log; "" if the answer has no id.</summary>
        public string RequestId { get; }

        internal ApiException(int status, string code, string said, IReadOnlyDictionary<string, IReadOnlyList<string>> details, string requestId)
            : base(said != "" ? said : Sentence(status, code), null)
        {
            (Status, Code, Said, Details, RequestId) = (status, code, said, details, requestId);
        }

        // IsRule reports whether the service refused the request by its rules. Such a request changed nothing.
        internal bool IsRule => Code != RanchGame.Code.Unexpected && Status >= 400 && Status < 500 && Status != 429;

        // IsUnread reports whether the answer was a success that the client could not read.
        internal bool IsUnread => Code == RanchGame.Code.Unexpected && Status >= 200 && Status < 300;

        private static string Sentence(int status, string code)
        {
            switch (code)
            {
                case RanchGame.Code.ValidationError: return "The service did not understand this.";
                case RanchGame.Code.Unauthorized: return "Please log in again.";
                case RanchGame.Code.NotFound: return "It does not exist, or no longer exists.";
                case RanchGame.Code.AlreadyClaimed: return "The prize is claimed already.";
                case RanchGame.Code.InternalError: return "The service has failed. Please try again later.";
                case RanchGame.Code.TooManyRequests: return "There are too many requests at the moment. Please try again shortly.";
                case RanchGame.Code.ServiceUnavailable: return "The service is not there at the moment. Please try again shortly.";
                case RanchGame.Code.Unexpected: return "The service has given an answer that this version does not understand.";
                default: return $"The service has answered {status}.";
            }
        }
    }

    /// <summary>No answer came, and the call changed nothing. Calling again is safe.</summary>
    public sealed class NetworkException : RanchException
    {
        internal NetworkException(Exception? cause) : base("The service cannot be reached.", cause) { }
    }

    /// <summary>A change may have been made, and the client could not find out. The inner exception is the last
    /// error.</summary>
    public sealed class UnknownOutcomeException : RanchException
    {
        /// <summary>enter, judge, claim, register, changePassword, changeEmail or deleteAccount.</summary>
        public string Operation { get; }
        /// <summary>A sentence for people: what to do now.</summary>
        public string Advice { get; }

        internal UnknownOutcomeException(string operation, Exception cause)
            : base($"It is not known whether this was done. {AdviceOn(operation)}", cause)
        {
            (Operation, Advice) = (operation, AdviceOn(operation));
        }

        private static string AdviceOn(string operation)
        {
            switch (operation)
            {
                case "enter": return "Look at the show again in a minute; entering again cannot charge twice.";
                case "judge": return "Look at the show again in a minute; judging again cannot change the ranks.";
                case "claim": return "Look at the show again in a minute; claiming again cannot pay twice.";
                case "changePassword": return "Log in with the new password; if that is refused, use the old one.";
                case "changeEmail": return "Look at the account in a minute; changing the address again is safe.";
                case "deleteAccount": return "Try again in a minute; if you can no longer log in, the account is deleted.";
                default: return "Log in with the same e-mail address and password; if that is refused, register again.";
            }
        }
    }

    /// <summary>Why a session ended.</summary>
    public enum EndReason
    {
        /// <summary>There was no session.</summary>
        None,
        Logout,
        /// <summary>The refresh token is revoked or expired.</summary>
        Refused,
        /// <summary>The account is banned or deleted.</summary>
        Banned,
    }

    /// <summary>The player must log in: there is no session, or it has ended.</summary>
    public sealed class SessionEndedException : RanchException
    {
        public EndReason Reason { get; }

        internal SessionEndedException(EndReason reason, Exception? cause = null)
            : base(reason == EndReason.Banned ? "This account is banned or deleted." : "Please log in.", cause) => Reason = reason;
    }

    /// <summary>A log-out could not remove the session from the store: the next start finds it again.</summary>
    public sealed class StoreException : RanchException
    {
        internal StoreException(Exception cause)
            : base("You are logged out for now, but the session could not be removed from this device.", cause) { }
    }
}
