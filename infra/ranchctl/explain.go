package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// failures holds the error of the last failed attempt since a success, except one that the time limit ended. If the SDK
// retries a request until its time is up, the request's own error lacks the reason. failures also holds how far the
// clock of the service that answered last is ahead of this machine's.
type failures struct {
	last atomic.Pointer[error]
	skew atomic.Int64
}

// mostSkew is the largest difference of the clocks with which a change may be made: its record has this machine's time.
const mostSkew = time.Minute

// checkClock returns a refusal if this machine's clock differs from the service's by more than mostSkew.
func (f *failures) checkClock() error {
	skew, off := time.Duration(f.skew.Load()).Round(time.Second), "ahead of"
	if skew > 0 {
		off = "behind"
	}
	if skew.Abs() > mostSkew {
		return refusalf("this machine's clock is %v %s the service's: set it right, because each change is recorded with its time", skew.Abs(), off)
	}
	return nil
}

// watch records the attempts of all clients of the configuration. It runs inside the SDK's retries.
func (f *failures) watch(configuration *aws.Config) {
	configuration.APIOptions = append(configuration.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("ranchctl.Failures",
			func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleFinalize(ctx, in)
				if skew, known := awsmiddleware.GetAttemptSkew(metadata); known {
					f.skew.Store(int64(skew))
				}
				switch {
				case err == nil:
					f.last.Store(nil)
				case ctx.Err() == nil:
					f.last.Store(&err)
				}
				return out, metadata, err
			}), "Retry", middleware.After)
	})
}

// noCredentials means that the AWS environment has no valid credentials.
type noCredentials struct{ error }

func (n noCredentials) Unwrap() error { return n.error }

// explain returns an error's text for operators. It replaces each SDK error by a sentence with the reason, what to do
// and the request's id. If the error is about a damaged show, it adds the command that repairs the show.
func (a *app) explain(ctx context.Context, err error) string {
	if parts := joined(err); parts != nil {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = a.explain(ctx, part)
		}
		return strings.Join(texts, "\n")
	}
	text, found := err.Error(), requests(err)
	credentials, without := errors.AsType[noCredentials](err)
	switch {
	case without && (len(found) == 0 || found[0].ServiceID == metadataService):
		cause := ""
		if len(found) == 0 {
			cause = ": " + credentials.Error()
		}
		return "there are no AWS credentials, or they have expired: log in (aws sso login), or set AWS_PROFILE" + cause
	case len(found) == 0 && interrupted(ctx, err):
		return strings.Replace(text, context.Canceled.Error(), interruption, 1)
	}
	for _, r := range found {
		text = strings.Replace(text, r.text, a.sentence(ctx, r.OperationError), 1)
	}
	if damaged, ok := errors.AsType[store.DamagedShow](err); ok {
		end := ". "
		if strings.Contains(text, "\n") {
			end = "\n"
		}
		text += end + "Run: " + a.toRepair(damaged.Show) + ", then this command again"
	}
	return text
}

// toRepair returns the command that repairs a show.
func (a *app) toRepair(show game.ID) string {
	return a.toType("show", "repair", string(show), "--reason", "REASON")
}

const interruption = "interrupted"

// interrupted reports whether the error is the result of a signal that ends the tool.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// request is the SDK's error of a request, and the text that sentence replaces.
type request struct {
	*smithy.OperationError
	text string
}

// requests returns the SDK's errors within an error, in the order in which the error's text has them.
func requests(err error) (found []request) {
	switch e := err.(type) {
	case nil:
	case *smithy.OperationError:
		return []request{{e, e.Error()}}
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			found = append(found, requests(part)...)
		}
	default:
		inner := errors.Unwrap(err)
		found = requests(inner)
		if operation, ok := inner.(*smithy.OperationError); ok && services[operation.ServiceID].wrapped {
			found[0].text = err.Error()
		}
	}
	return found
}

// metadataService is the last service that the SDK asks for credentials. Its errors do not help operators.
const metadataService = "ec2imds"

// joined returns the errors that errors.Join has joined to err, or nil if err is not such an error.
func joined(err error) []error {
	for ; err != nil; err = errors.Unwrap(err) {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			parts := several.Unwrap()
			if all := errors.Join(parts...); all != nil && all.Error() == err.Error() {
				return parts
			}
			return nil
		}
	}
	return nil
}

// sentence returns why an operation failed, with the request's id.
func (a *app) sentence(ctx context.Context, operation *smithy.OperationError) string {
	if interrupted(ctx, operation) {
		return interruption
	}
	text := a.reason(ctx, operation)
	if response, ok := errors.AsType[*awshttp.ResponseError](operation); ok && response.ServiceRequestID() != "" {
		text += " (request " + response.ServiceRequestID() + ")"
	}
	return text
}

func (a *app) reason(ctx context.Context, operation *smithy.OperationError) string {
	err := operation.Err
	if last := a.failures.last.Load(); last != nil && !errors.As(err, new(smithy.APIError)) {
		err = *last
	}
	s, ok := services[operation.ServiceID]
	if !ok {
		s.name = operation.ServiceID
	}
	answer, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return s.name + " does not answer: " + innermost(err)
	}
	response, _ := errors.AsType[*awshttp.ResponseError](err)
	switch code := answer.ErrorCode(); {
	case code == "ResourceNotFoundException" && s.missing != nil:
		return fmt.Sprintf("there is no %s %s: check %s, and the region", s.missing(a), a.whereAsked(ctx), s.flag)
	case code == "ValidationException" && operation.OperationName == "GetItem":
		return fmt.Sprintf("%s %s has other keys than Ranch's tables: check %s, and the region", a.theTable(), a.whereAsked(ctx), s.flag)
	case strings.HasPrefix(code, "AccessDenied"), code == "UnauthorizedOperation":
		return a.denied(s, operation, answer)
	case strings.HasPrefix(code, "ExpiredToken"), code == "RequestExpired":
		return "the AWS credentials have expired: log in again (aws sso login), or renew them"
	case unknownCredentials[code]:
		return fmt.Sprintf("AWS does not accept the credentials: check AWS_PROFILE, their source, and this machine's clock (%s: %s)", code, answer.ErrorMessage())
	case throttles[code]:
		return s.name + " throttles the requests: wait a little, and repeat the command (" + code + ")"
	case response != nil && response.HTTPStatusCode() >= http.StatusInternalServerError:
		return fmt.Sprintf("%s has failed: wait a little, and repeat the command (%s)", s.name, code)
	default:
		return fmt.Sprintf("%s refuses %s: %s: %s", s.name, operation.OperationName, code, answer.ErrorMessage())
	}
}

// service describes an AWS service for messages.
type service struct {
	name, prefix string // prefix begins the names of its permissions
	wrapped      bool   // package store puts before its errors what operators do not need
	missing      func(a *app) string
	flag, policy string // the flag that names the resource, and the output of infra/people.yaml with the policy; see denied
}

var services = map[string]service{
	"DynamoDB":        {"DynamoDB", "dynamodb", true, func(a *app) string { return "table " + a.table }, "--table (or TABLE_NAME)", "OperatorsPolicy"},
	"Secrets Manager": {"Secrets Manager", "secretsmanager", false, func(*app) string { return "such secret" }, "--secret (or SIGNING_KEYS_SECRET)", "KeyOperatorsPolicy"},
	"STS":             {"STS", "sts", false, nil, "", ""},
}

var (
	unknownCredentials = map[string]bool{
		"UnrecognizedClientException": true, "InvalidClientTokenId": true, "InvalidSignatureException": true, "SignatureDoesNotMatch": true,
		"MissingAuthenticationToken": true, "MissingAuthenticationTokenException": true, "IncompleteSignature": true,
	}
	throttles = map[string]bool{
		"ProvisionedThroughputExceededException": true, "ThrottlingException": true, "Throttling": true, "RequestLimitExceeded": true, "TooManyRequestsException": true,
	}
)

// lacking finds the permission in an error message of AWS.
var lacking = regexp.MustCompile(`perform: ([a-z0-9-]+:\w+)`)

// reads are the table's permissions that a command without changes may use.
var reads = map[string]bool{"dynamodb:BatchGetItem": true, "dynamodb:GetItem": true, "dynamodb:Query": true, "dynamodb:Scan": true}

// denied returns a message with the missing permission, and the policy that the command needs. If a command that makes
// no change lacks a permission to read, that is SupportPolicy.
func (a *app) denied(s service, operation *smithy.OperationError, answer smithy.APIError) string {
	permission := s.prefix + ":" + operation.OperationName
	if found := lacking.FindStringSubmatch(answer.ErrorMessage()); found != nil {
		permission = found[1]
	}
	policy, changes := "", a.recorded()
	if reads[permission] && !changes {
		s.policy = "SupportPolicy"
	}
	if s.policy != "" {
		policy = ": you need the managed policy that the output " + s.policy + " of infra/people.yaml's stack names"
	}
	return fmt.Sprintf("you lack the permission %s%s\nAWS says: %s", permission, policy, answer.ErrorMessage())
}

// whereAsked returns where the command looked for a resource, with the account if it is known.
func (a *app) whereAsked(ctx context.Context) string {
	who, _ := a.whoAsks(ctx)
	return a.place(who)
}

// innermost returns the cause of a missing answer.
func innermost(err error) string {
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return dial.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "the time limit has passed"
	}
	return err.Error()
}
