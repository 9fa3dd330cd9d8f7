import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The header by which a gateway shows the auth service that a request is its own, so that its trace is continued. Clients'
 * headers of this name are never forwarded.
 */
export const GATEWAY_CREDENTIAL_HEADER = 'x-portico-gateway';

const PURPOSE = 'portico gateway: context of traces';

/**
 * The credential of a gateway, derived from the secret that it shares with the auth service: the secret itself is sent
 * nowhere but to `/revocations`. A stolen credential permits to choose trace ids of the auth service, and nothing else.
 */
export function gatewayCredential(secret: string): string {
  return createHmac('sha256', secret).update(PURPOSE).digest('base64url');
}

/**
 * Checks what a request brings in the header.
 *
 * @param secrets each of them may be the gateway's. Without any, no request is a gateway's.
 */
export function gatewayCredentialCheck(secrets: readonly string[]): (given: string | string[] | undefined) => boolean {
  const expected = secrets.map((secret) => Buffer.from(gatewayCredential(secret)));
  return (given) => {
    if (typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return expected.some((one) => one.length === bytes.length && timingSafeEqual(one, bytes));
  };
}
