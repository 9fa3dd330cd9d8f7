import type { Author } from '../../auth-service/audit/index.ts';
import type { Database } from '../../auth-service/database/index.ts';
import { createPasswordPolicy } from '../../auth-service/passwords/index.ts';
import { createSealer } from '../../auth-service/tokens/index.ts';
import {
  type Administration,
  type Administrator,
  addClient,
  createAdministration,
  type NewClient,
} from '../../auth-service/use-cases/index.ts';
import { KEY_ENCRYPTION_KEY } from './service.ts';

/** Who does in tests what operators do. */
export const OPERATOR: Author = {
  actor: { kind: 'operator', id: 'olga' },
  origin: { address: null, userAgent: 'tests', requestId: null },
};

/** The same as an administrator of everything. */
export const OPERATING: Administrator = { kind: 'platform', account: 'command-line', author: OPERATOR };

/** Adds a service account, as an operator. */
export function addClientTo(doors: Database, client: NewClient): ReturnType<typeof addClient> {
  return doors.inTenant(client.tenantId, (transaction) => addClient(transaction, client, new Date(), OPERATOR));
}

/** What operators can do, but what needs a hash of a password or the counters of failed logins. */
export function administrationOf(doors: Database, now = () => new Date()): Administration {
  const unavailable = async () => {
    throw new Error('not in these tests');
  };
  const reloadSeconds = 15;
  return createAdministration({
    database: doors,
    passwords: unavailable,
    throttledAccounts: { waitsOf: unavailable, release: unavailable, forget: unavailable },
    policy: createPasswordPolicy({ minLength: 15, serviceNames: [] }),
    roles: ['tenant_admin'],
    recordRefusal: async () => {},
    keys: {
      sealer: createSealer(Buffer.from(KEY_ENCRYPTION_KEY, 'base64')),
      policy: { algorithm: 'ES256', rotationDays: 0, tokenSeconds: 900, reloadSeconds },
      reload: async () => {},
    },
    now,
  });
}
