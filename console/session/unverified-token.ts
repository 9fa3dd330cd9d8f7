/** Payload of a JWT, which is not verified: the gateway does that with every request. @throws Error where it is no JSON object. */
export function unverifiedPayload(accessToken: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload] = accessToken.split('.');
  if (payload === undefined) return undefined;
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}

/** The id of the session that a JWT is of; undefined where it does not say that. */
export function unverifiedSessionId(accessToken: string): string | undefined {
  try {
    const sid = unverifiedPayload(accessToken)?.sid;
    return typeof sid === 'string' && sid !== '' ? sid : undefined;
  } catch {
    return undefined;
  }
}
