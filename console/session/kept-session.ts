import { ApiError, CONSOLE_ROOT, consoleCall, type RequestHeaders } from '../api/index.ts';
import { unverifiedSessionId } from './unverified-token.ts';

/** Who logs in. */
export interface PasswordLogin {
  readonly username: string;
  readonly password: string;
  readonly tenantId: number;
}

/** A new access token of a session. */
export interface NewToken {
  readonly access_token: string;
  /** In seconds. */
  readonly expires_in: number;
}

interface SessionAnswer {
  readonly success: boolean;
  readonly error_message: string | null;
  readonly data: NewToken | null;
}

type SessionResponse = Awaited<ReturnType<typeof consoleCall<SessionAnswer>>>;

/** Names of what all pages of this console in a browser share. */
const SHARED_NAME = `portico-session ${CONSOLE_ROOT}`;

// The gateway keeps the session's refresh token in a cookie that no script can read; here is only which session it is. Pages of other
// ports can set cookies for this one, but have no access to its storage.

export function startSession({ username, password, tenantId }: PasswordLogin): Promise<NewToken> {
  const login = { username, password, tenant_id: tenantId };
  return inTurn(async () => tokenOf('login', await consoleCall<SessionAnswer>('session/login', login)));
}

/** @throws ApiError 401 where the session is over. */
export function refreshSession(): Promise<NewToken> {
  return inTurn(async () => {
    const session = stored();
    let response = await refreshNamed(session);
    // Another page may have begun another session before: browsers pass on what it has stored with a delay.
    const latest = stored();
    if (response.status === 401 && latest !== null && latest !== session) response = await refreshNamed(latest);
    if (response.status === 401) remember(undefined);
    return tokenOf('refresh', response);
  });
}

/** @param session as it is stored: where its id is known, no other session is continued. */
function refreshNamed(session: string | null): Promise<SessionResponse> {
  const isNamed = session !== null && session !== NAMELESS;
  return consoleCall('session/refresh', isNamed ? { session } : {});
}

/** @param headers authenticate the caller, for browsers that have not taken the cookie. */
export async function endSession(headers: RequestHeaders): Promise<void> {
  await inTurn(() => {
    remember(undefined);
    return consoleCall('session/logout', {}, headers);
  });
}

/** Whether there was a session in this browser when a page last looked. Saves those who have none a request. */
export function mayHaveSession(): boolean {
  return stored() !== null;
}

/** A session whose tokens do not say which one it is. */
const NAMELESS = 'open';

function stored(): string | null {
  try {
    return localStorage.getItem(SHARED_NAME);
  } catch {
    return null;
  }
}

function remember(session: string | undefined): void {
  try {
    if (session === undefined) localStorage.removeItem(SHARED_NAME);
    else localStorage.setItem(SHARED_NAME, session);
  } catch {
    // Storage is switched off: a reload logs out.
  }
}

/** @throws ApiError with the reason of a refusal. */
function tokenOf(action: 'login' | 'refresh', { status, answer }: SessionResponse): NewToken {
  if (!answer.data) throw new ApiError(`${action}-refused`, answer.error_message ?? '', status);
  remember(unverifiedSessionId(answer.data.access_token) ?? NAMELESS);
  return answer.data;
}

/**
 * One request at a time of all pages of this browser, so that each is sent with the cookie that the one before it has set: a refresh
 * token is used once. Browsers without locks are those on addresses where they keep no such cookie either.
 */
async function inTurn<T>(request: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { readonly locks?: LockManager };
  return locks ? locks.request(SHARED_NAME, request) : request();
}

/** What a page tells the others of this browser. */
export type SessionNews = 'opened' | 'ended';

const otherPages = new BroadcastChannel(SHARED_NAME);

export function tellOtherPages(news: SessionNews): void {
  otherPages.postMessage(news);
}

export function whenOtherPagesTell(listener: (news: SessionNews) => void): void {
  otherPages.addEventListener('message', ({ data }: MessageEvent<SessionNews>) => listener(data));
}
