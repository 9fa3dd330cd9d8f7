"""Verifies the assertions of a Portico gateway. Needs PyJWT with cryptography: pip install "pyjwt[crypto]"."""

import jwt

TYPE = "portico-assertion+jwt"
LEEWAY_SECONDS = 5


class Verifier:
    """
    jwks_url: the gateway's /.well-known/portico-jwks.json
    issuer: its PORTICO_ASSERTION_ISSUER
    audience: this service's name in the gateway's metadata
    """

    def __init__(self, jwks_url: str, issuer: str, audience: str):
        # Keeps the keys for five minutes, and fetches them again at an unknown one.
        self._keys = jwt.PyJWKClient(jwks_url, lifespan=300, timeout=5)
        self._issuer = issuer
        self._audience = audience

    def verify(self, assertion: str) -> dict:
        """Returns the claims; raises jwt.PyJWTError for anything else than a valid assertion: answer 401 then."""
        if jwt.get_unverified_header(assertion).get("typ") != TYPE:
            raise jwt.InvalidTokenError("not an assertion")
        return jwt.decode(
            assertion,
            self._keys.get_signing_key_from_jwt(assertion).key,
            algorithms=["ES256"],
            issuer=self._issuer,
            audience=self._audience,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iat", "iss", "aud"]},
        )
