package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// layers are what a function's time is divided into. A sample belongs to the innermost function of its stack that is in
// one of the packages: what the SDK has the runtime, or crypto/sha256, do is the SDK's. What belongs to none, such as
// the scheduler and the garbage collector's own threads, is the runtime's.
var layers = []struct {
	name     string
	packages []string
}{
	{"SDK", []string{"github.com/aws/aws-sdk-go-v2/", "github.com/aws/smithy-go/"}},
	{"JSON", []string{"encoding/json."}},
	{"HTTP", []string{"net.", "net/http", "net/textproto", "internal/poll.", "crypto/tls."}},
	{"Lambda", []string{"github.com/aws/aws-lambda-go/"}},
	{"ours", []string{"github.com/ranch-game/", "main.", "github.com/golang-jwt/", "golang.org/x/crypto/"}},
}

const runtimeLayer = "runtime"

// readLayers returns each layer's part of a profile's time.
func readLayers(ctx context.Context, profile string) (map[string]float64, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", "-unit=ms", profile).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	return divide(string(out)), nil
}

var sampleStart = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)ms\s+(\S.*)$`)

// divide reads the output of pprof -traces: stacks from the innermost function outwards, each with its time before its
// first line, and lines of dashes between them. A profile of too short a time has no stacks.
func divide(traces string) map[string]float64 {
	parts, sum := map[string]float64{}, 0.0
	for stack := range strings.SplitSeq(traces, "\n-----------+") {
		var frames []string
		var took float64
		for line := range strings.Lines(stack) {
			if start := sampleStart.FindStringSubmatch(strings.TrimRight(line, "\n")); start != nil {
				took, _ = strconv.ParseFloat(start[1], 64)
				frames = append(frames, start[2])
			} else if took > 0 {
				frames = append(frames, strings.TrimSpace(line))
			}
		}
		parts[layerOf(frames)] += took
		sum += took
	}
	for name := range parts {
		parts[name] /= max(sum, 1)
	}
	return parts
}

func layerOf(frames []string) string {
	for _, frame := range frames {
		for _, layer := range layers {
			for _, prefix := range layer.packages {
				if strings.HasPrefix(frame, prefix) {
					return layer.name
				}
			}
		}
	}
	return runtimeLayer
}
