import type {
  AuthenticateClient,
  ChangePassword,
  ClientCredentials,
  Login,
  Logout,
  Refresh,
  RevokeSession,
  RevokeToken,
} from '../use-cases/index.ts';

/** How often a use case had each outcome. `error`: it threw. */
type Counts<Outcome extends string> = Record<Outcome, number>;

/** Creates every outcome at the start, so that the first one of a kind is an increase. */
function zeroCounts<const Outcome extends string>(...outcomes: Outcome[]): Counts<Outcome> {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Counts<Outcome>;
}

/**
 * Counts the outcomes of use cases. `incomplete`: a field was missing. Callers have no labels: neither tenant nor user nor
 * address.
 */
export class UseCaseCounts {
  readonly logins = zeroCounts('success', 'refused', 'incomplete', 'throttled', 'busy', 'error');
  readonly refreshes = zeroCounts('success', 'refused', 'incomplete', 'reused', 'error');
  readonly logouts = zeroCounts('success', 'refused', 'error');
  readonly passwordChanges = zeroCounts('success', 'refused', 'incomplete', 'throttled', 'busy', 'error');
  readonly clientAuthentications = zeroCounts('success', 'refused', 'throttled', 'error');
  readonly clientTokens = zeroCounts('success', 'refused', 'error');
  /** Sessions that were ended, and tokens of service accounts that were revoked, by cause. */
  readonly revocations = zeroCounts('logout', 'session-revoke', 'password-change', 'reuse', 'client-token');

  login(login: Login): Login {
    return (...request) => counted(this.logins, login(...request), countedOutcome);
  }

  refresh(refresh: Refresh): Refresh {
    return async (...request) => {
      const result = await counted(this.refreshes, refresh(...request), countedOutcome);
      if (result.outcome === 'reused') this.revocations.reuse += result.ended;
      return result;
    };
  }

  logout(logout: Logout): Logout {
    return async (...request) => {
      const result = await counted(this.logouts, logout(...request), ({ outcome }) => outcome);
      if (result.outcome === 'success') this.revocations.logout += result.ended;
      return result;
    };
  }

  revokeSession(revokeSession: RevokeSession): RevokeSession {
    return async (...request) => {
      const result = await revokeSession(...request);
      if (result.outcome === 'success') this.revocations['session-revoke'] += result.ended;
      return result;
    };
  }

  changePassword(changePassword: ChangePassword): ChangePassword {
    return async (...request) => {
      const result = await counted(this.passwordChanges, changePassword(...request), countedOutcome);
      if (result.outcome === 'success') this.revocations['password-change'] += result.ended;
      return result;
    };
  }

  authenticateClient(authenticateClient: AuthenticateClient): AuthenticateClient {
    return (...request) =>
      counted(this.clientAuthentications, authenticateClient(...request), (result) => {
        if (result === undefined) return 'refused';
        return 'outcome' in result ? result.outcome : 'success';
      });
  }

  clientCredentials(clientCredentials: ClientCredentials): ClientCredentials {
    return (...request) => counted(this.clientTokens, clientCredentials(...request), ({ outcome }) => outcome);
  }

  /** The token of a login is ended by a logout, which is counted there. */
  revokeToken(revokeToken: RevokeToken): RevokeToken {
    return async (...request) => {
      const result = await revokeToken(...request);
      const [, client] = request;
      if (client !== undefined && result.revoked) this.revocations['client-token'] += 1;
      return result;
    };
  }
}

async function counted<Result, Outcome extends string>(
  counts: Counts<Outcome | 'error'>,
  work: Promise<Result>,
  outcome: (result: Result) => Outcome,
): Promise<Result> {
  try {
    const result = await work;
    counts[outcome(result)] += 1;
    return result;
  } catch (error) {
    counts.error += 1;
    throw error;
  }
}

function countedOutcome<Outcome extends string>(result: {
  readonly outcome: Outcome;
  readonly reason?: { readonly kind: string };
}): Outcome | 'incomplete' {
  return result.reason?.kind === 'missing-field' ? 'incomplete' : result.outcome;
}
