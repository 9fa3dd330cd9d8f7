import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The header with which a gateway identifies its requests to the auth service, so that its trace is continued. Clients' headers
 * of this name are never forwarded.
 */
export const GATEWAY_CREDENTIAL_HEADER = 'x-portico-gateway';

const PURPOSE = 'portico gateway: context of traces';

/**
 * Returns the credential of a gateway. It is derived from the secret that the gateway shares with the auth service, so that the
 * secret itself is sent only to `/revocations`. A stolen credential only allows choosing trace ids of the auth service.
 */
export function gatewayCredential(secret: string): string {
  return createHmac('sha256', secret).update(PURPOSE).digest('base64url');
}

/**
 * Returns a function that checks the header of a request.
 *
 * @param secrets any of which may be the gateway's. Without secrets, no request is accepted as a gateway's.
 */
export function gatewayCredentialCheck(secrets: readonly string[]): (given: string | string[] | undefined) => boolean {
  const expected = secrets.map((secret) => Buffer.from(gatewayCredential(secret)));
  return (given) => {
    if (typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return expected.some((one) => one.length === bytes.length && timingSafeEqual(one, bytes));
  };
}
