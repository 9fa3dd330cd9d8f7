import { batch, computed, signal } from '@preact/signals';
import { ApiError, execute, type RequestHeaders, sessionChanged, type TypedDocument } from '../api/index.ts';
import { requireAccepted } from './accepted-credentials.ts';
import { type Credentials, credentialHeaders, namesUser, unverifiedClaims, userOf } from './credentials.ts';
import { interruptedClaims, isInterrupted, resumption } from './interrupted-session.ts';
import {
  endSession,
  mayHaveSession,
  type NewToken,
  type PasswordLogin,
  refreshSession,
  startSession,
  tellOtherPages,
  whenOtherPagesTell,
} from './kept-session.ts';
import { pickedRole, pickRole } from './picked-role.ts';
import { revokeToken, type ServiceAccount, tokenOf } from './service-account.ts';
import { forgetUser, keepTextsOf } from './user-storage.ts';

const credentials = signal<Credentials | undefined>(undefined);

/** Why there is no session any more; undefined where none has ended by itself. */
export const endedBecause = signal<'expired' | undefined>(undefined);

/** Whether the session from before a reload is being continued. */
export const isRestoring = signal(mayHaveSession());
/** Why it could not be continued, though it may not be over. */
export const restoreProblem = signal<unknown>(undefined);

export const isLoggedIn = computed(() => credentials.value !== undefined);
/** How the caller is, or was, authenticated; undefined without a session. */
export const kindOfSession = computed(() => credentials.value?.kind ?? (isInterrupted.value ? 'login' : undefined));
/** Who the token says the caller is, or was until the session was interrupted; undefined with the admin secret. */
export const claims = computed(() => {
  const current = credentials.value;
  if (!current) return interruptedClaims.value;
  return current.kind === 'admin-secret' ? undefined : current.claims;
});
/** Whose the session is, or was until it was interrupted; see `userOf`. */
export const userKey = signal<string | undefined>(undefined);
/** The roles that the caller may take; undefined where any is allowed, with the admin secret. */
export const allowedRoles = computed(() => claims.value?.roles);
/** The role that requests are made with. */
export const role = computed(() => {
  if (pickedRole.value !== '') return pickedRole.value;
  return claims.value?.defaultRole ?? (credentials.value ? 'admin' : '');
});

/** @throws ApiError with the reason of a refusal. */
export async function logIn(login: PasswordLogin): Promise<void> {
  const token = await startSession(login);
  if (!isInterrupted.value) pickRole('');
  beginSession(token);
  tellOtherPages('opened');
}

/** Logs in with a service account, whose secret stays in memory for its next tokens. @throws ApiError with the reason of a refusal. */
export async function logInWithServiceAccount(account: ServiceAccount): Promise<void> {
  const token = await tokenOf(account);
  pickRole('');
  beginSession(token, account);
}

/** Logouts, here and of other pages. A token that was requested before one belongs to a session that has ended. */
let logouts = 0;

/** Continues the session from before a reload. */
export async function restoreSession(): Promise<void> {
  if (credentials.value === undefined && mayHaveSession()) await continueSession();
}

/** Continues the session of this browser's cookie. */
async function continueSession(): Promise<void> {
  isRestoring.value = true;
  restoreProblem.value = undefined;
  const before = logouts;
  try {
    const token = await refreshSession();
    const kind = credentials.value?.kind;
    // Refreshes take turns with logins: the last token is that of the user who has logged in last.
    if ((kind === undefined || kind === 'login') && before === logouts) beginSession(token);
  } catch (error) {
    if (isSessionOver(error)) endedBecause.value = 'expired';
    else restoreProblem.value = error;
  } finally {
    isRestoring.value = false;
  }
}

/** @returns whether the text is a token. @throws ApiError with the reason of a refusal. */
export async function enterAccessToken(text: string): Promise<boolean> {
  const accessToken = text.trim();
  const found = unverifiedClaims(accessToken);
  if (found) await enter({ kind: 'token', accessToken, claims: found });
  return found !== undefined;
}

/** @throws ApiError with the reason of a refusal. */
export function enterAdminSecret(secret: string): Promise<void> {
  return enter({ kind: 'admin-secret', secret });
}

async function enter(given: Credentials): Promise<void> {
  await requireAccepted(given);
  pickRole('');
  start(given);
}

/** Ends the session here, forgets what the user has typed, and revokes it at the auth service. @throws ApiError where it could not be revoked. */
export async function logOut(): Promise<void> {
  const current = credentials.value;
  const isOfLogin = kindOfSession.value === 'login';
  const headers = credentialHeaders(current, '');
  logouts++;
  clearSession();
  forgetUser();
  if (current?.kind === 'service-account') await revokeToken(current.account, current.accessToken);
  if (!isOfLogin) return;
  tellOtherPages('ended');
  const ended = endSession(headers);
  // What is over needs no revocation; another page may have logged in meanwhile.
  await (current ? ended : ended.catch(() => {}));
}

/**
 * The headers of a request of this caller, with a token that is still valid for a while. While the session is interrupted, the
 * request waits for the login.
 *
 * @throws ApiError where it could not be refreshed, and where the session is another user's then.
 */
export async function authorization(asRole = role.value): Promise<RequestHeaders> {
  const current = credentials.value;
  const user = userKey.value;
  if (isRefreshed(current) && current.expiresAt - Date.now() < MIN_REMAINING_MS) await refreshToken();
  await resumption();
  requireUser(user);
  return credentialHeaders(credentials.value, asRole);
}

/** A refresh returns the token of the user who has logged in last in this browser: requests of the user before are not made as that one. */
function requireUser(user: string | undefined): void {
  if (userKey.value !== user) throw sessionChanged();
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
  const user = userKey.value;
  const headers = await authorization(asRole);
  const used = credentials.value;
  try {
    return await send(headers);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isUnauthenticated || !isRefreshed(used)) throw error;
    if (!isLoggedIn.value && !isInterrupted.value) throw error;
    // Another request may have refreshed it meanwhile, or have found that the session is over.
    if (credentials.value === used) await refreshToken();
    requireUser(user);
    return send(await authorization(asRole));
  }
}

type RefreshedCredentials = Extract<Credentials, { readonly expiresAt: number }>;

/** Whether the console gets the next access token itself. */
function isRefreshed(given: Credentials | undefined): given is RefreshedCredentials {
  return given?.kind === 'login' || given?.kind === 'service-account';
}

/** A token is replaced when less than this is left. */
const MIN_REMAINING_MS = 5_000;
const TOKEN_RETRY_MS = 10_000;

let refreshing: Promise<void> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** One refresh at a time: a refresh token is used once. */
function refreshToken(): Promise<void> {
  refreshing ??= refreshNow().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function refreshNow(): Promise<void> {
  const current = credentials.value;
  if (!isRefreshed(current)) return;
  const account = current.kind === 'service-account' ? current.account : undefined;
  try {
    const token = await (account ? tokenOf(account) : refreshSession());
    // The caller has logged out meanwhile.
    if (credentials.value === current) beginSession(token, account);
  } catch (error) {
    if (credentials.value === current) {
      if (isSessionOver(error)) return expire(current);
      timer = setTimeout(refreshQuietly, TOKEN_RETRY_MS);
    }
    throw error;
  }
}

/** Whether the auth service says that there is no such session, in place of a failure. */
function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && SESSION_OVER_CODES.has(error.code) && error.isUnauthenticated;
}

const SESSION_OVER_CODES: ReadonlySet<string> = new Set(['refresh-refused', 'login-refused']);

function refreshQuietly(): void {
  refreshToken().catch(() => {});
}

/** The refresh under way may return the token of the user before. */
async function refreshOnceMore(): Promise<void> {
  const before = logouts;
  await refreshing?.catch(() => {});
  if (credentials.value !== undefined) refreshQuietly();
  // It has found that the session before is over.
  else if (before === logouts) await continueSession();
}

function beginSession({ access_token: accessToken, expires_in }: NewToken, account?: ServiceAccount): void {
  const found = unverifiedClaims(accessToken);
  if (!found) throw new ApiError('invalid-jwt', 'The access token cannot be read.', 200);
  const lifetimeMs = expires_in * 1000;
  const token = { accessToken, expiresAt: Date.now() + lifetimeMs, claims: found };
  start(account ? { kind: 'service-account', account, ...token } : { kind: 'login', ...token });
  timer = setTimeout(refreshQuietly, refreshAfter(lifetimeMs));
}

/** A minute before the token expires; of short-lived ones at four fifths of their life. */
function refreshAfter(lifetimeMs: number): number {
  return Math.max(lifetimeMs - 60_000, lifetimeMs * 0.8);
}

function start(given: Credentials): void {
  clearTimeout(timer);
  const user = userOf(given);
  // What the user before has typed and picked is not the next one's, whom another page may have logged in.
  const isOther = userKey.value !== undefined && userKey.value !== user;
  if (isOther || (given.kind !== 'admin-secret' && !given.claims.roles.includes(pickedRole.value))) pickRole('');
  keepTextsOf(user);
  batch(() => {
    endedBecause.value = undefined;
    restoreProblem.value = undefined;
    credentials.value = given;
    userKey.value = user;
    interruptedClaims.value = undefined;
  });
}

/** The session has ended by itself. */
function expire(given: Credentials): void {
  if (given.kind !== 'login' || !namesUser(given.claims)) {
    clearSession('expired');
    return;
  }
  clearTimeout(timer);
  batch(() => {
    endedBecause.value = 'expired';
    interruptedClaims.value = given.claims;
    credentials.value = undefined;
  });
}

function clearSession(why?: 'expired'): void {
  clearTimeout(timer);
  batch(() => {
    pickRole('');
    endedBecause.value = why;
    credentials.value = undefined;
    userKey.value = undefined;
    interruptedClaims.value = undefined;
  });
}

whenOtherPagesTell((news) => {
  const isOfLogin = kindOfSession.value === 'login';
  if (news === 'ended') logouts++;
  if (news === 'opened') {
    // Another page's mark of it in the storage may not be seen here yet.
    if (credentials.value === undefined) void continueSession();
    else if (isOfLogin) void refreshOnceMore();
  } else if (isOfLogin) {
    clearSession();
    forgetUser();
  }
});

// Timers stand still while a machine sleeps.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') authorization().catch(() => {});
});
