package samlocal

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Folder is where the copy of the template and the functions' programs are, from the root of the working tree. What is
// deployed is elsewhere, so that nobody deploys these.
const Folder = ".aws-sam/local"

// Programs returns where the functions are to be compiled to.
func Programs(t *samtemplate.Template) string { return filepath.Join(t.Root, Folder, "programs") }

// WriteTemplate writes a copy of the template whose functions are those in Programs, for the given processor, and whose
// environment names LocalStack and what is in it, by the physical ids. (SAM passes on only such variables as the
// template has, and the cloud's has no endpoint.) It returns the copy's path.
func WriteTemplate(t *samtemplate.Template, ids map[string]string, a Architecture) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, samtemplate.FileName))
	if err != nil {
		return "", err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("%s: %w", samtemplate.FileName, err)
	}
	folder := filepath.Join(t.Root, Folder)
	for _, f := range t.Functions {
		variables, err := t.Resolve(f.Environment, ids)
		if err != nil {
			return "", fmt.Errorf("the environment of %s: %w", f.LogicalID, err)
		}
		variables["AWS_ENDPOINT_URL"] = Endpoint
		properties, err := find(document.Content[0], "Resources", f.LogicalID, "Properties")
		if err != nil {
			return "", err
		}
		err = errors.Join(
			set(properties, "CodeUri", f.LogicalID),
			set(properties, "Architectures", []string{a.Lambda}),
			set(properties, "Environment", map[string]any{"Variables": variables}),
			place(filepath.Join(Programs(t), path.Base(f.Folder)), filepath.Join(folder, f.LogicalID)),
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

// find returns the mapping below the given keys.
func find(node *yaml.Node, keys ...string) (*yaml.Node, error) {
	for _, key := range keys {
		value := valueOf(node, key)
		if value == nil {
			return nil, fmt.Errorf("%s: no %s in %v", samtemplate.FileName, key, keys)
		}
		node = value
	}
	return node, nil
}

func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// set puts a plain value in the place of whatever the mapping has under the key.
func set(mapping *yaml.Node, key string, value any) error {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		return err
	}
	if old := valueOf(mapping, key); old != nil {
		*old = node
		return nil
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &node)
	return nil
}

// place makes the program the bootstrap of a folder, as Lambda wants it. It is the same file, which costs nothing.
func place(program, folder string) error {
	bootstrap := filepath.Join(folder, "bootstrap")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(bootstrap); err != nil {
		return err
	}
	return os.Link(program, bootstrap)
}
