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

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// failures knows how the last attempt of a request failed: where a request is repeated until its time is up, its own
// error does not say why.
type failures struct{ last atomic.Pointer[error] }

// watch looks at the attempts of all clients of the configuration, below the SDK's retries.
func (f *failures) watch(configuration *aws.Config) {
	configuration.APIOptions = append(configuration.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("ranchctl.Failures",
			func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleFinalize(ctx, in)
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

// noCredentials says that the AWS environment has none that are good.
type noCredentials struct{ error }

func (n noCredentials) Unwrap() error { return n.error }

// explain is an error in words for operators: what the SDK says of a request is a sentence, and the request's id.
func (a *app) explain(ctx context.Context, err error) string {
	if parts := joined(err); parts != nil {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = a.explain(ctx, part)
		}
		return strings.Join(texts, "\n")
	}
	text, found := err.Error(), requests(err)
	var credentials noCredentials
	switch {
	case errors.As(err, &credentials) && (len(found) == 0 || found[0].ServiceID == metadataService):
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
	return text
}

const interruption = "interrupted"

// interrupted reports whether the error is that somebody has ended the tool.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// request is what the SDK says of one, and the text that it is part of.
type request struct {
	*smithy.OperationError
	text string
}

// requests returns what the SDK says of requests, in the order of the error's text.
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

// metadataService is asked for credentials where nothing else has any, and has no word for operators.
const metadataService = "ec2imds"

// joined returns the errors that errors.Join has made one of.
func joined(err error) []error {
	for ; err != nil; err = errors.Unwrap(err) {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			if parts := several.Unwrap(); errors.Join(parts...).Error() == err.Error() {
				return parts
			}
			return nil
		}
	}
	return nil
}

func requestID(err error) string {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.ServiceRequestID()
	}
	return ""
}

// sentence says why an operation failed.
func (a *app) sentence(ctx context.Context, operation *smithy.OperationError) string {
	if interrupted(ctx, operation) {
		return interruption
	}
	text := a.reason(ctx, operation)
	if id := requestID(operation); id != "" {
		text += " (request " + id + ")"
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
	var answer smithy.APIError
	if !errors.As(err, &answer) {
		return s.name + " does not answer: " + innermost(err)
	}
	switch code := answer.ErrorCode(); {
	case code == "ResourceNotFoundException" && s.missing != nil:
		return fmt.Sprintf("there is no %s %s: look at %s, and at the region", s.missing(a), a.whereAsked(ctx), s.flag)
	case code == "ValidationException" && operation.OperationName == "GetItem":
		return fmt.Sprintf("%s %s is none of Ranch's, which have other keys: look at %s, and at the region", a.theTable(), a.whereAsked(ctx), s.flag)
	case strings.HasPrefix(code, "AccessDenied"), code == "UnauthorizedOperation":
		return a.denied(s, operation, answer)
	case strings.HasPrefix(code, "ExpiredToken"), code == "RequestExpired":
		return "the AWS credentials have expired: log in again (aws sso login), or renew them"
	case unknownCredentials[code]:
		return fmt.Sprintf("AWS does not accept the credentials: look at AWS_PROFILE, at where they are from, and at this machine's clock (%s: %s)", code, answer.ErrorMessage())
	case throttles[code]:
		return s.name + " gets more requests than it takes: wait a little, and repeat the command (" + code + ")"
	case statusOf(err) >= http.StatusInternalServerError:
		return fmt.Sprintf("%s has failed: wait a little, and repeat the command (%s)", s.name, code)
	default:
		return fmt.Sprintf("%s refuses %s: %s: %s", s.name, operation.OperationName, code, answer.ErrorMessage())
	}
}

// service is what operators know of one that AWS has.
type service struct {
	name, prefix string // the prefix is that of its permissions
	wrapped      bool   // package store says before each of its errors what was being read, which is not for operators
	missing      func(a *app) string
	flag, policy string // the flag says what is asked, the stack's output who may; for DynamoDB's reads, see denied
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

// lacking finds the permission in what AWS says.
var lacking = regexp.MustCompile(`perform: ([a-z0-9-]+:\w+)`)

// reads are the permissions that commands which change nothing need.
var reads = map[string]bool{"dynamodb:BatchGetItem": true, "dynamodb:GetItem": true, "dynamodb:Query": true, "dynamodb:Scan": true}

// denied names the policy that the command needs: of a command that only reads, the one for that.
func (a *app) denied(s service, operation *smithy.OperationError, answer smithy.APIError) string {
	permission := s.prefix + ":" + operation.OperationName
	if found := lacking.FindStringSubmatch(answer.ErrorMessage()); found != nil {
		permission = found[1]
	}
	policy, changes := "", a.command != nil && a.command.Annotations[recorded] != ""
	if reads[permission] && !changes {
		s.policy = "SupportPolicy"
	}
	if s.policy != "" {
		policy = ": whoever does needs the managed policy that the stack's output " + s.policy + " names"
	}
	return fmt.Sprintf("you may not do %s%s\nAWS says: %s", permission, policy, answer.ErrorMessage())
}

// whereAsked is where a thing was looked for, with the account where it can be found out.
func (a *app) whereAsked(ctx context.Context) string {
	who, err := a.whoAsks(ctx)
	if err != nil {
		who = caller{}
	}
	return a.place(who)
}

func statusOf(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// innermost is why no answer came.
func innermost(err error) string {
	var dial *net.OpError
	switch {
	case errors.As(err, &dial):
		return dial.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "its time is up"
	}
	return err.Error()
}
