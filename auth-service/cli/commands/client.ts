import { isUuid } from '../../../platform/index.ts';
import { addClient, revokeClient } from '../../use-cases/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { CommandError, UsageError } from '../command-errors.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { findTenant, roleOptions } from '../subjects.ts';

const MAX_CLIENT_NAME_LENGTH = 255;
/** RFC 6749, section 3.3. */
const SCOPE_NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

export const clientCommands: DatabaseCommandRuns = {
  async 'client add'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
    const name = positionalAt(given, 1).normalize('NFKC');
    if (name === '' || name.length > MAX_CLIENT_NAME_LENGTH || /\p{Cc}/u.test(name))
      throw new UsageError(`expected a name of at most ${MAX_CLIENT_NAME_LENGTH} characters`);
    const scopes = [...new Set(given.options.scope ?? [])];
    if (!scopes.every((scope) => SCOPE_NAME.test(scope))) throw new UsageError('expected scopes like orders:read');
    const roles = roleOptions(given.options);
    const added = await addClient(
      context.database,
      { tenantId, name, scopes, ...roles },
      context.now(),
      context.author,
    );
    const { clientId, clientSecret } = added;
    return messageOutcome(`client_id      ${clientId}\nclient_secret  ${clientSecret}   (shown this once)`, {
      tenant_id: tenantId,
      client_id: clientId,
      client_secret: clientSecret,
      roles: roles.allowedRoles,
      default_role: roles.defaultRole,
      scopes,
    });
  },

  async 'client list'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
    const clients = await context.database.inTenant(tenantId, ({ oAuthClient }) =>
      oAuthClient.findMany({ where: { tenantId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    );
    return listOutcome(
      clients.map(({ id, name, allowedRoles, defaultRole, scopes, createdAt, revokedAt }) => ({
        client_id: id,
        name,
        roles: allowedRoles,
        default_role: defaultRole,
        scopes,
        created_at: createdAt,
        revoked_at: revokedAt,
      })),
    );
  },

  async 'client revoke'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
    const clientId = positionalAt(given, 1).toLowerCase();
    if (!isUuid(clientId)) throw new UsageError('expected a client id');
    const revoked = await revokeClient(context.database, tenantId, clientId, context.now, context.author);
    if (!revoked) throw new CommandError('this tenant has no such client, or it was revoked already');
    return messageOutcome('the client is revoked', { tenant_id: tenantId, client_id: clientId });
  },
};
