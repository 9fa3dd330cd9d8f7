// Package assertions verifies the assertions of a Portico gateway. Go 1.19 or newer, no dependencies.
package assertions

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	typ     = "portico-assertion+jwt"
	leeway  = 5 * time.Second
	keep    = 5 * time.Minute
	refetch = 10 * time.Second
)

// Claims of an assertion. Subject and Session are empty where the gateway asks on its own account.
type Claims struct {
	Issuer   string            `json:"iss"`
	Audience string            `json:"aud"`
	Subject  string            `json:"sub"`
	ID       string            `json:"jti"`
	IssuedAt int64             `json:"iat"`
	Expires  int64             `json:"exp"`
	Session  map[string]string `json:"https://hasura.io/jwt/claims"`
}

// Verifier holds the gateway's keys. JWKSURL is its /.well-known/portico-jwks.json, Issuer its
// PORTICO_ASSERTION_ISSUER, Audience this service's name in its metadata.
type Verifier struct {
	JWKSURL, Issuer, Audience string

	mutex     sync.Mutex
	keys      map[string]*ecdsa.PublicKey
	fetchedAt time.Time
}

// Verify returns the claims of a valid assertion, and an error for anything else: answer 401 then.
func (v *Verifier) Verify(assertion string) (*Claims, error) {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		return nil, errors.New("no assertion")
	}
	var header struct{ Alg, Typ, Kid string }
	if err := decode(parts[0], &header); err != nil {
		return nil, err
	}
	// The algorithm is this service's choice, never the token's.
	if header.Alg != "ES256" || header.Typ != typ {
		return nil, errors.New("not an assertion")
	}
	key, err := v.key(header.Kid)
	if err != nil {
		return nil, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return nil, errors.New("the signature is wrong")
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !ecdsa.Verify(key, digest[:], r, s) {
		return nil, errors.New("the signature is wrong")
	}
	claims := &Claims{}
	if err := decode(parts[1], claims); err != nil {
		return nil, err
	}
	now := time.Now()
	switch {
	case claims.Issuer != v.Issuer:
		return nil, errors.New("from another gateway")
	case claims.Audience != v.Audience:
		return nil, errors.New("for another service")
	case !now.Before(time.Unix(claims.Expires, 0).Add(leeway)):
		return nil, errors.New("expired")
	case time.Unix(claims.IssuedAt, 0).After(now.Add(leeway)):
		return nil, errors.New("not valid yet")
	}
	return claims, nil
}

func (v *Verifier) key(kid string) (*ecdsa.PublicKey, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	age := time.Since(v.fetchedAt)
	if _, known := v.keys[kid]; age > keep || (!known && age > refetch) {
		// Keys that are known go on counting while the gateway does not answer.
		if err := v.fetch(); err != nil && !known {
			return nil, err
		}
	}
	if key, known := v.keys[kid]; known {
		return key, nil
	}
	return nil, errors.New("signed by an unknown key")
}

func (v *Verifier) fetch() error {
	v.fetchedAt = time.Now()
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(v.JWKSURL)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the gateway's keys cannot be fetched: %s", response.Status)
	}
	var set struct {
		Keys []struct{ Kty, Crv, Kid, X, Y string }
	}
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil {
		return err
	}
	keys := map[string]*ecdsa.PublicKey{}
	for _, jwk := range set.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(jwk.X)
		y, errY := base64.RawURLEncoding.DecodeString(jwk.Y)
		if jwk.Kty != "EC" || jwk.Crv != "P-256" || errX != nil || errY != nil {
			continue
		}
		key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
		if key.Curve.IsOnCurve(key.X, key.Y) {
			keys[jwk.Kid] = key
		}
	}
	v.keys = keys
	return nil
}

func decode(part string, into any) error {
	bytes, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, into)
}
