import { randomUUID } from 'node:crypto';
import type { Audit, AuditEntry } from '../audit/index.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { UseCaseCounts } from '../metrics/index.ts';
import type { OpenThrottle } from '../throttle/index.ts';
import { createAccessTokens, createAccessTokenVerifier } from '../tokens/index.ts';
import {
  createAdministration,
  createAuthenticateClient,
  createChangePassword,
  createClientCredentials,
  createIdentifyAdministrator,
  createIdentifyCaller,
  createIntrospect,
  createListSessions,
  createLogin,
  createLogout,
  createReadAudit,
  createRefresh,
  createRevokeSession,
  createRevokeToken,
} from '../use-cases/index.ts';
import type { Hashing } from './hashing.ts';
import type { ServiceKeys } from './service-keys.ts';

export interface UseCaseDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly audit: Audit;
  readonly throttle: OpenThrottle;
  readonly hashing: Pick<Hashing, 'passwords' | 'policy'>;
  readonly keys: ServiceKeys;
  /** Counts the outcomes of use cases. */
  readonly counts: UseCaseCounts;
  now(): Date;
}

/** Creates the use cases of users, clients and administrators, for the transports of the service. */
export function createUseCases(dependencies: UseCaseDependencies) {
  const { config, database, audit, throttle, keys, counts, now } = dependencies;
  const { passwords, policy } = dependencies.hashing;
  const { refreshTokens } = keys;
  const accessTokens = createAccessTokens({ ...config.accessTokens, keys: keys.signing });
  const session = { database, audit, accessTokens, refreshTokens, lifetime: config.sessions, now };
  const verify = createAccessTokenVerifier({ ...config.accessTokens, keys: keys.signing });
  const identifyCaller = createIdentifyCaller({ database, verify, now });
  const administrators = {
    database,
    roles: config.administration.roles,
    recordRefusal: (entry: AuditEntry) => audit.recordDeduplicated(entry),
    now,
  };
  const logout = counts.logout(createLogout({ database, audit, refreshTokens, identifyCaller, now }));
  return {
    login: counts.login(createLogin({ ...session, passwords, throttle, randomUUID })),
    refresh: counts.refresh(createRefresh({ ...session, auditHours: config.audit.refreshHours })),
    logout,
    identifyCaller,
    listSessions: createListSessions(database, now),
    revokeSession: counts.revokeSession(createRevokeSession(database, audit, now)),
    changePassword: counts.changePassword(createChangePassword({ database, audit, passwords, policy, throttle, now })),
    authenticateClient: counts.authenticateClient(createAuthenticateClient(database, audit, throttle, now)),
    clientCredentials: counts.clientCredentials(
      createClientCredentials({ database, audit, accessTokens, now, randomUUID }),
    ),
    introspect: createIntrospect({ database, verify, identifyCaller, now }),
    revokeToken: counts.revokeToken(createRevokeToken({ database, verify, logout, now })),
    readAudit: createReadAudit({ database, audit, roles: config.audit.roles, now }),
    identifyAdministrator: createIdentifyAdministrator({ ...administrators, verify, identifyCaller }),
    administration: createAdministration({
      ...administrators,
      policy,
      passwords: async () => passwords,
      throttledAccounts: throttle.accounts,
      // A failure has no effect, since the keys are read again in some seconds.
      keys: { sealer: keys.sealer, policy: keys.policy, reload: () => keys.signing.reload().catch(() => {}) },
    }),
  };
}
