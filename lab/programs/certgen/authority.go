package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// authority signs leaves; pem is its certificate as it lies in the Secret.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	pem         []byte
}

func parseAuthority(certificatePEM, keyPEM []byte) (*authority, error) {
	certificateBlock, _ := pem.Decode(certificatePEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certificateBlock == nil || keyBlock == nil {
		return nil, errors.New("the authority's Secret needs PEM in ca.crt and ca.key")
	}
	certificate, err := x509.ParseCertificate(certificateBlock.Bytes)
	if err != nil {
		return nil, err
	}
	key, err := parseKey(keyBlock.Bytes)
	if err != nil {
		return nil, err
	}
	return &authority{certificate: certificate, key: key, pem: certificatePEM}, nil
}

func parseKey(der []byte) (crypto.Signer, error) {
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		if signer, ok := key.(crypto.Signer); ok {
			return signer, nil
		}
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	// Without the parsers' own words: nothing about a key belongs in a log.
	return nil, errors.New("the authority's ca.key is no PKCS#8, EC or RSA private key")
}

// sign makes one leaf and its key, both as PEM.
func (a *authority) sign(wanted leaf, now time.Time, covers bool) ([]byte, []byte, error) {
	if covers && now.Add(wanted.Validity).After(a.certificate.NotAfter) {
		return nil, nil, fmt.Errorf("%s would outlive its authority, which ends %s",
			wanted.Name, a.certificate.NotAfter.Format(time.RFC3339))
	}
	template, err := template(wanted, now)
	if err != nil {
		return nil, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), nil
}

func template(wanted leaf, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	made := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: wanted.CommonName},
		// Backdated, for nodes whose clocks are behind.
		NotBefore: now.Add(-5 * time.Minute),
		NotAfter:  now.Add(wanted.Validity),
	}
	for _, host := range wanted.Hosts {
		if address := net.ParseIP(host); address != nil {
			made.IPAddresses = append(made.IPAddresses, address)
		} else {
			made.DNSNames = append(made.DNSNames, host)
		}
	}
	return made, setUsage(made, wanted)
}

func setUsage(made *x509.Certificate, wanted leaf) error {
	for _, word := range wanted.Usage {
		switch word {
		case "signing", "digital signature":
			made.KeyUsage |= x509.KeyUsageDigitalSignature
		case "key encipherment":
			made.KeyUsage |= x509.KeyUsageKeyEncipherment
		case "server auth":
			made.ExtKeyUsage = append(made.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		case "client auth":
			made.ExtKeyUsage = append(made.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
		default:
			return fmt.Errorf("%s: the stand-in knows no key usage %q", wanted.Name, word)
		}
	}
	return nil
}
