package main

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// clients are those of the services that the rehearsal looks into.
type clients struct {
	cloudFormation *cloudformation.Client
	dynamoDB       *dynamodb.Client
	iam            *iam.Client
	lambda         *lambda.Client
	logs           *cloudwatchlogs.Client
	secrets        *secretsmanager.Client
}

func newClients(cfg aws.Config) clients {
	return clients{
		cloudFormation: cloudformation.NewFromConfig(cfg),
		dynamoDB:       dynamodb.NewFromConfig(cfg),
		iam:            iam.NewFromConfig(cfg),
		// API Gateway invokes a function once: what a second try would hide is to show.
		lambda:  lambda.NewFromConfig(cfg, func(o *lambda.Options) { o.RetryMaxAttempts = 1 }),
		logs:    cloudwatchlogs.NewFromConfig(cfg),
		secrets: secretsmanager.NewFromConfig(cfg),
	}
}
