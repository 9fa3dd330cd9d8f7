import { computed, signal } from '@preact/signals';
import { ApiError, execute, type RequestHeaders, type TypedDocument } from '../api/index.ts';
import { type Credentials, claimsOf, headersOf } from './credentials.ts';
import { LOGIN, LOGOUT, REFRESH } from './documents.ts';
import { forgetUser } from './user-storage.ts';

const credentials = signal<Credentials | undefined>(undefined);
const pickedRole = signal('');

/** Why there is no session any more; undefined where none has ended by itself. */
export const endedBecause = signal<'expired' | undefined>(undefined);

export const isLoggedIn = computed(() => credentials.value !== undefined);
/** How the caller is authenticated; undefined without a session. */
export const kindOfSession = computed(() => credentials.value?.kind);
/** Who the token says the caller is; undefined with the admin secret. */
export const claims = computed(() => {
  const current = credentials.value;
  return current && current.kind !== 'admin-secret' ? current.claims : undefined;
});
/** The roles that the caller may take; undefined where any is allowed, with the admin secret. */
export const allowedRoles = computed(() => claims.value?.roles);
/** The role that requests are made with. */
export const role = computed(() => {
  if (pickedRole.value !== '') return pickedRole.value;
  return claims.value?.defaultRole ?? (credentials.value ? 'admin' : '');
});

export function pickRole(name: string): void {
  pickedRole.value = name;
}

export interface Login {
  readonly username: string;
  readonly password: string;
  readonly tenantId: number;
}

/** @throws ApiError with the reason of a refusal. */
export async function logIn({ username, password, tenantId }: Login): Promise<void> {
  const { auth_user_login: result } = await execute(LOGIN, { data: { username, password, tenant_id: tenantId } });
  if (!result.data) throw new ApiError('login-refused', result.error_message ?? '', 401);
  pickedRole.value = '';
  begin(result.data);
}

/** @returns whether the text is a token. */
export function enterAccessToken(accessToken: string): boolean {
  const found = claimsOf(accessToken.trim());
  if (!found) return false;
  pickedRole.value = '';
  start({ kind: 'token', accessToken: accessToken.trim(), claims: found });
  return true;
}

export function enterAdminSecret(secret: string): void {
  pickedRole.value = '';
  start({ kind: 'admin-secret', secret });
}

/** Ends the session here, forgets what the user has typed, and revokes it at the auth service. @throws ApiError where it could not be revoked. */
export async function logOut(): Promise<void> {
  const current = credentials.value;
  end(undefined);
  forgetUser();
  if (current?.kind !== 'login') return;
  await execute(LOGOUT, { data: { refresh_token: current.refreshToken } });
}

/** The headers of a request of this caller, with a token that is still valid for a while. */
export async function authorization(asRole = role.value): Promise<RequestHeaders> {
  const current = credentials.value;
  if (current?.kind === 'login' && current.expiresAt - Date.now() < MIN_REMAINING_MS) await refresh();
  return headersOf(credentials.value, asRole);
}

/**
 * Runs an operation as the caller, and once more with a new token where the first was rejected.
 *
 * @throws ApiError.
 */
export async function query<Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options: { readonly signal?: AbortSignal; readonly asRole?: string } = {},
): Promise<Result> {
  return authorized((headers) => execute(document, variables, { headers, signal: options.signal }), options.asRole);
}

/** Makes a request as the caller, and once more with a new token where `send` fails since the first was rejected. */
export async function authorized<T>(send: (headers: RequestHeaders) => Promise<T>, asRole?: string): Promise<T> {
  const before = credentials.value;
  try {
    return await send(await authorization(asRole));
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isUnauthenticated || before === undefined) throw error;
    if (before.kind === 'login' && credentials.value !== undefined) {
      // Another request may have refreshed it meanwhile.
      if (credentials.value === before) await refresh();
      return send(await authorization(asRole));
    }
    throw error;
  }
}

/** A token is replaced when less than this is left. */
const MIN_REMAINING_MS = 5_000;
const RETRY_MS = 10_000;

let refreshing: Promise<void> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** One refresh at a time: a refresh token is used once. */
function refresh(): Promise<void> {
  refreshing ??= refreshNow().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function refreshNow(): Promise<void> {
  const current = credentials.value;
  if (current?.kind !== 'login') return;
  try {
    const { auth_token_refresh: result } = await execute(REFRESH, { data: { refresh_token: current.refreshToken } });
    // The caller has logged out meanwhile.
    if (credentials.value !== current) return;
    if (result.data) begin(result.data);
    else end('expired');
  } catch (error) {
    if (credentials.value === current) timer = setTimeout(refreshQuietly, RETRY_MS);
    throw error;
  }
}

function refreshQuietly(): void {
  refresh().catch(() => {});
}

function begin(tokens: { access_token: string; expires_in: number; refresh_token: string }): void {
  const found = claimsOf(tokens.access_token);
  if (!found) throw new ApiError('invalid-jwt', 'The access token cannot be read.', 200);
  const lifetimeMs = tokens.expires_in * 1000;
  start({
    kind: 'login',
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: Date.now() + lifetimeMs,
    claims: found,
  });
  timer = setTimeout(refreshQuietly, refreshAfter(lifetimeMs));
}

/** A minute before the token expires; of short-lived ones at four fifths of their life. */
function refreshAfter(lifetimeMs: number): number {
  return Math.max(lifetimeMs - 60_000, lifetimeMs * 0.8);
}

function start(given: Credentials): void {
  clearTimeout(timer);
  endedBecause.value = undefined;
  credentials.value = given;
}

function end(why: 'expired' | undefined): void {
  clearTimeout(timer);
  pickedRole.value = '';
  endedBecause.value = why;
  credentials.value = undefined;
}

// Timers stand still while a machine sleeps.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') authorization().catch(() => {});
});
