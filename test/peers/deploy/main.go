// Command deploycheck reads what lies under deploy/ as its users would: Compose files with the library that
// `docker compose` is made of, Kubernetes manifests strictly into the types of the Kubernetes API. An unknown or
// misspelt field, a wrong type or a reference to nothing is an error.
//
//	deploycheck compose FILE
//	deploycheck kubernetes FILE
//
// It prints what it has read as JSON: the Compose project, or the list of the file's objects. On an error it says
// what is wrong and ends with 1.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: deploycheck compose|kubernetes FILE")
		os.Exit(2)
	}
	read := map[string]func(string) (any, error){"compose": compose, "kubernetes": kubernetes}[os.Args[1]]
	if read == nil {
		fmt.Fprintln(os.Stderr, "deploycheck: compose or kubernetes is accepted")
		os.Exit(2)
	}
	found, err := read(os.Args[2])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploycheck:", err)
		os.Exit(1)
	}
}

// The project of a Compose file with the environment of this process, checked by schema and for consistency.
func compose(file string) (any, error) {
	options, err := cli.NewProjectOptions(
		[]string{file},
		cli.WithWorkingDirectory(filepath.Dir(file)),
		cli.WithOsEnv,
		cli.WithConsistency(true),
		cli.WithInterpolation(true),
	)
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

// What an object of this kind is strictly read into; nil when the kind is not known here.
func typeOf(apiVersion, kind string) any {
	switch apiVersion + " " + kind {
	case "apps/v1 Deployment":
		return &apps.Deployment{}
	case "v1 Service":
		return &core.Service{}
	case "policy/v1 PodDisruptionBudget":
		return &policy.PodDisruptionBudget{}
	case "autoscaling/v2 HorizontalPodAutoscaler":
		return &autoscaling.HorizontalPodAutoscaler{}
	case "networking.k8s.io/v1 NetworkPolicy":
		return &networking.NetworkPolicy{}
	case "networking.k8s.io/v1 Ingress":
		return &networking.Ingress{}
	}
	return nil
}

// The objects of a file of YAML documents.
func kubernetes(file string) (any, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	objects := []any{}
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		var head struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if err := strict.Unmarshal(document, &head); err != nil {
			return nil, err
		}
		object := typeOf(head.APIVersion, head.Kind)
		if object == nil {
			return nil, fmt.Errorf("%s: no type is known for %q of %q", file, head.Kind, head.APIVersion)
		}
		if err := strict.UnmarshalStrict(document, object); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", file, head.Kind, err)
		}
		objects = append(objects, object)
	}
}
