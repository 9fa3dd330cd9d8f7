import { randomBytes, randomUUID } from 'node:crypto';
import type { DestinationStream } from 'pino';
import { createLogger, listen, type RunningService } from '../platform/index.ts';
import type { Config } from './config.ts';
import { migrate, openDatabase } from './database/index.ts';
import { type Bcrypt, createPasswords, openBcryptPool } from './passwords/index.ts';
import { createReadiness } from './readiness.ts';
import { createServer } from './server.ts';
import { createAccessTokens, createAccessTokenVerifier, createSealer, openSigningKeys } from './tokens/index.ts';
import {
  createAuthenticateClient,
  createChangePassword,
  createClientCredentials,
  createIdentifyCaller,
  createIntrospect,
  createListRevocations,
  createListSessions,
  createLogin,
  createLogout,
  createRefresh,
  createRevokeSession,
  createRevokeToken,
} from './use-cases/index.ts';

/** What a test may put in place of the real thing; each stands at the service's edge. */
export interface Surroundings {
  now?: () => Date;
  /** Does something every so many milliseconds, until what it returns is called. Default: node's timers. */
  every?: (milliseconds: number, action: () => Promise<void>) => () => void;
  /** Where log lines go. Default: standard output. */
  logDestination?: DestinationStream;
  /** Sees, or stands in for, the computations of the hash pool. */
  aroundBcrypt?: (bcrypt: Bcrypt) => Bcrypt;
}

/**
 * Builds the service's objects, hands them to each other, and serves. It listens before it migrates, so that whoever
 * watches `/readyz` can see it starting; it resolves when it is ready.
 *
 * @throws StartError when the database, the signing keys or the port cannot be used.
 */
export async function startAuthService(config: Config, surroundings: Surroundings = {}): Promise<RunningService> {
  const { now = () => new Date(), every = repeat, logDestination, aroundBcrypt = (bcrypt) => bcrypt } = surroundings;
  const logger = createLogger('auth-service', config.logLevel, logDestination);

  const database = openDatabase(config.database.url, {
    poolSize: config.database.poolSize,
    onConnectionLost: (error) => logger.warn({ err: error }, 'lost a connection to the database'),
  });
  const hashPool = openBcryptPool(config.passwords);
  const passwords = createPasswords({ ...config.passwords, bcrypt: aroundBcrypt(hashPool) });
  const keys = openSigningKeys({
    database,
    sealer: createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey),
    policy: { ...config.signingKeys, tokenSeconds: config.accessTokens.lifetimeSeconds },
    now,
    every,
    onReloadFailed: (error) => logger.warn({ err: error }, 'the signing keys could not be read again'),
  });
  const accessTokens = createAccessTokens({ ...config.accessTokens, keys });
  const readiness = createReadiness(database, keys);

  const session = { database, accessTokens, lifetime: config.sessions, now, randomBytes };
  const verify = createAccessTokenVerifier({ ...config.accessTokens, keys });
  const identifyCaller = createIdentifyCaller({ database, verify, now });
  const logout = createLogout({ database, identifyCaller, now });
  const useCases = {
    login: createLogin({ ...session, passwords, randomUUID }),
    refresh: createRefresh(session),
    logout,
    identifyCaller,
    listSessions: createListSessions(database, now),
    revokeSession: createRevokeSession(database, now),
    changePassword: createChangePassword({ database, passwords, now }),
    authenticateClient: createAuthenticateClient(database),
    clientCredentials: createClientCredentials({ database, accessTokens, now, randomUUID }),
    introspect: createIntrospect({ database, verify, identifyCaller, now }),
    revokeToken: createRevokeToken({ database, verify, logout, now }),
  };
  const listRevocations = createListRevocations(database, now);
  const app = createServer({ useCases, accessTokens: config.accessTokens, listRevocations, keys, readiness, logger });

  const closers: (() => Promise<void>)[] = [
    () => database.$disconnect(),
    async () => keys.stop(),
    () => hashPool.close(),
  ];
  const stop = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const server = await listen(app, { ...config.listen, portVariable: 'AUTH_PORT' });
    closers.push(server.stop);

    const applied = await migrate(config.database.url, config.database);
    readiness.migrated();
    await keys.load();

    logger.info({ port: server.port, migrations: applied }, 'ready');
    return { port: server.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function repeat(milliseconds: number, action: () => Promise<void>): () => void {
  const timer = setInterval(() => void action(), milliseconds).unref();
  return () => clearInterval(timer);
}
