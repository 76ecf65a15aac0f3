package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// cluster talks to the API server of the cluster that this pod runs in, as the pod's account.
type cluster struct {
	url    string
	token  string
	client *http.Client
}

// secret is what the stand-in reads and writes of a Secret.
type secret struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metadata          `json:"metadata"`
	Type       string            `json:"type,omitempty"`
	Data       map[string][]byte `json:"data"`
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// statusError is an answer of the API server that is no success.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return e.text }

func inCluster() (*cluster, error) {
	token, err := os.ReadFile(filepath.Join(serviceAccount, "token"))
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(filepath.Join(serviceAccount, "ca.crt"))
	if err != nil {
		return nil, err
	}
	host := net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	return newCluster("https://"+host, strings.TrimSpace(string(token)), ca), nil
}

func newCluster(url, token string, ca []byte) *cluster {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &cluster{
		url:    url,
		token:  token,
		client: &http.Client{Transport: transport, Timeout: 30 * time.Second},
	}
}

func (c *cluster) secret(namespace, name string) (*secret, error) {
	answer := &secret{}
	return answer, c.call(http.MethodGet, path(namespace)+"/"+name, nil, answer)
}

// writeSecret replaces a Secret, or makes it. The chart's role allows no reading of leaves.
func (c *cluster) writeSecret(namespace, name string, data map[string][]byte) error {
	body := &secret{
		APIVersion: "v1",
		Kind:       "Secret",
		Metadata:   metadata{Name: name, Namespace: namespace},
		Type:       "kubernetes.io/tls",
		Data:       data,
	}
	err := c.call(http.MethodPut, path(namespace)+"/"+name, body, nil)
	var refused *statusError
	if errors.As(err, &refused) && refused.code == http.StatusNotFound {
		return c.call(http.MethodPost, path(namespace), body, nil)
	}
	return err
}

func (c *cluster) call(method, path string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, c.url+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return &statusError{response.StatusCode, fmt.Sprintf("%s %s: %s", method, path, response.Status)}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

func path(namespace string) string {
	return "/api/v1/namespaces/" + namespace + "/secrets"
}
