package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// samFolder is where the copy of the template and the functions' programs are, from the root of the working tree. What
// is deployed is elsewhere, so that nobody deploys these.
const samFolder = ".aws-sam/local"

// samPrograms returns where the functions are to be compiled to.
func samPrograms(t *samtemplate.Template) string { return filepath.Join(t.Root, samFolder, "programs") }

// copyTemplate writes a copy of the template whose functions are those in samPrograms, for a processor by Lambda's
// name, and returns its path. Their environment names LocalStack and what is in it, by the physical ids. (SAM passes
// on only such variables as the template has, and the cloud's has no endpoint.)
func copyTemplate(t *samtemplate.Template, ids map[string]string, architecture string) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, samtemplate.FileName))
	if err != nil {
		return "", err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("%s: %w", samtemplate.FileName, err)
	}
	folder := filepath.Join(t.Root, samFolder)
	for _, f := range t.Functions {
		variables, err := t.Resolve(f.Environment, ids)
		if err != nil {
			return "", fmt.Errorf("the environment of %s: %w", f.LogicalID, err)
		}
		variables["AWS_ENDPOINT_URL"] = samEndpoint
		properties := member(member(member(document.Content[0], "Resources"), f.LogicalID), "Properties")
		err = errors.Join(
			member(properties, "CodeUri").Encode(f.LogicalID),
			member(properties, "Architectures").Encode([]string{architecture}),
			member(properties, "Environment").Encode(map[string]any{"Variables": variables}),
			placeProgram(filepath.Join(samPrograms(t), path.Base(f.Folder)), filepath.Join(folder, f.LogicalID)),
		)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.LogicalID, err)
		}
	}
	copied, err := yaml.Marshal(&document)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, samtemplate.FileName)
	return file, os.WriteFile(file, copied, 0o644)
}

// member returns the value of a mapping's key. If there is none, it adds one for the caller to fill.
func member(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	value := &yaml.Node{Kind: yaml.MappingNode}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	return value
}

// placeProgram makes the program the bootstrap of a folder, as Lambda wants it. It is the same file, which costs
// nothing.
func placeProgram(program, folder string) error {
	bootstrap := filepath.Join(folder, "bootstrap")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.RemoveAll(bootstrap)); err != nil {
		return err
	}
	return os.Link(program, bootstrap)
}
