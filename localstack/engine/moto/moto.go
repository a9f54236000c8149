// Package moto starts moto, a stand-in for AWS Secrets Manager and STS. moto is a Python program that `make moto`
// installs. Together with a DynamoDB engine, moto replaces a LocalStack.
package moto

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Program is the path of moto's program below the root of the working tree. The Makefile installs it there.
const Program = ".tools/moto/bin/moto_server"

const gracePeriod = time.Second

// Server is a running moto and a DynamoDB engine, behind one endpoint.
type Server struct {
	URL     string // of the endpoint
	Secrets *secretsmanager.Client

	process *process.Process
	server  *http.Server
}

// Start starts moto and returns when it answers. root is the root of the working tree. tables serves the requests to
// DynamoDB, and moto all others. The endpoint refuses browsers. ctx limits only the start. moto runs until Close.
func Start(ctx context.Context, root string, tables http.Handler) (*Server, error) {
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		return nil, err
	}
	at := &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback.Address, strconv.Itoa(port))}
	s := &Server{Secrets: secretsmanager.New(secretsmanager.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(at.String()), RetryMaxAttempts: 1,
	})}
	cmd := exec.Command(filepath.Join(root, Program), "-H", loopback.Address, "-p", strconv.Itoa(port))
	if s.process, err = process.Serve(ctx, cmd, &process.Tail{}, func(ctx context.Context) error {
		_, err := s.Secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{})
		return err
	}); err != nil {
		return nil, fmt.Errorf("moto, which `make moto` installs: %w", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback.Address, "0"))
	if err != nil {
		s.Close()
		return nil, err
	}
	s.URL = "http://" + listener.Addr().String()
	s.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: loopback.RefuseBrowsers(join(tables, loopback.Forward(at)))}
	go s.server.Serve(listener) // until Close
	return s, nil
}

// Close ends moto and the endpoint.
func (s *Server) Close() {
	if s.server != nil {
		_ = s.server.Close()
	}
	s.process.Stop(gracePeriod)
}

// join returns a handler that passes DynamoDB's requests to tables and all other requests to others.
func join(tables, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_") {
			tables.ServeHTTP(w, r)
		} else {
			others.ServeHTTP(w, r)
		}
	})
}

// Spoil makes an invalid text the secret's current version, until the caller calls mend.
func (s *Server) Spoil(ctx context.Context, secret string) (mend func(context.Context) error, err error) {
	good, err := s.Secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(secret), VersionStage: aws.String("AWSCURRENT")})
	if err != nil {
		return nil, err
	}
	// Spoil adds the version first and then moves the label AWSCURRENT. If the label was moved before, moto's
	// PutSecretValue alone would leave two current versions.
	bad, err := s.Secrets.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: aws.String(secret), SecretString: aws.String("rubbish"), VersionStages: []string{"BROKEN"},
	})
	if err != nil {
		return nil, err
	}
	makeCurrent := func(ctx context.Context, from, to *string) error {
		_, err := s.Secrets.UpdateSecretVersionStage(ctx, &secretsmanager.UpdateSecretVersionStageInput{
			SecretId: aws.String(secret), VersionStage: aws.String("AWSCURRENT"), RemoveFromVersionId: from, MoveToVersionId: to,
		})
		return err
	}
	mend = func(ctx context.Context) error { return makeCurrent(ctx, bad.VersionId, good.VersionId) }
	return mend, makeCurrent(ctx, good.VersionId, bad.VersionId)
}
