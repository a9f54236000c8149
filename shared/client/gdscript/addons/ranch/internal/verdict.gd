# The meaning of a failed refresh. "refused" and "banned": the session has ended. "doubtful": either the service cannot
# verify the token, or it has an unexpected failure. "": nothing is known about the session.
extends RefCounted

const _BELIEVED_AFTER := 3600.0
const _UNBROKEN_BY := 600.0


static func of(failure: RanchError) -> String:
	if failure.kind != RanchError.Kind.API:
		return ""
	match [failure.status, failure.code]:
		[400, "MISSING_TOKEN"]:
			return "refused"
		[401, "UNAUTHORIZED"]:
			return "banned"
		[401, "INVALID_TOKEN"]:
			return "refused" if failure.said == "Refresh token invalid or expired" else "doubtful"
	return ""


# Notes a doubtful refusal in a session. After an hour without another answer, the session has ended, and the result is
# null. After a gap of over ten minutes, or if the clock was set back, the hour starts again.
static func doubted(session: RanchSession, now: float) -> RanchSession:
	var is_unbroken := (
		session.refused_last != 0
		and session.refused_last <= now
		and now - session.refused_last <= _UNBROKEN_BY
	)
	if not is_unbroken or session.refused_since > session.refused_last:
		return session.doubted(now, now)
	return (
		null
		if now - session.refused_since >= _BELIEVED_AFTER
		else session.doubted(session.refused_since, now)
	)
