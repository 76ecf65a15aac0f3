package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func newAuthority(t *testing.T, lifetime time.Duration) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Cilium CA"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(lifetime),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := parseAuthority(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

var server = leaf{
	Name:       "clustermesh-apiserver-server-cert",
	Namespace:  "kube-system",
	CommonName: "clustermesh-apiserver.kube-system.svc",
	Hosts:      []string{"*.mesh.cilium.io", "127.0.0.1"},
	Usage:      []string{"signing", "key encipherment", "server auth"},
	Validity:   24 * time.Hour,
}

func TestALeafIsTrustedForItsNamesAndAddresses(t *testing.T) {
	authority := newAuthority(t, 48*time.Hour)
	certificatePEM, _, err := authority.sign(server, time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(certificatePEM)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority.certificate)
	for _, name := range []string{"east.mesh.cilium.io", "127.0.0.1"} {
		if _, err := certificate.Verify(x509.VerifyOptions{DNSName: name, Roots: roots}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALeafThatOutlivesItsAuthorityIsRefused(t *testing.T) {
	_, _, err := newAuthority(t, time.Hour).sign(server, time.Now(), true)
	if err == nil || !strings.Contains(err.Error(), "would outlive its authority") {
		t.Fatalf("got %v", err)
	}
}

func TestAMissingSecretIsMadeAndNoKeyIsLogged(t *testing.T) {
	var calls []string
	var stored secret
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &stored)
	}))
	defer api.Close()
	var logged strings.Builder
	log.SetOutput(&logged)

	cluster := newCluster(api.URL, "token", nil)
	if err := write(cluster, newAuthority(t, 48*time.Hour), []leaf{server}, true); err != nil {
		t.Fatal(err)
	}

	secrets := "/api/v1/namespaces/kube-system/secrets"
	if got := strings.Join(calls, ", "); got != "PUT "+secrets+"/"+server.Name+", POST "+secrets {
		t.Error(got)
	}
	for _, key := range []string{"ca.crt", "tls.crt", "tls.key"} {
		if len(stored.Data[key]) == 0 {
			t.Errorf("%s is empty", key)
		}
	}
	if strings.Contains(logged.String(), "PRIVATE") {
		t.Error("a key was logged")
	}
}
