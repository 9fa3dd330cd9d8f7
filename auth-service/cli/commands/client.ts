import { isUuid } from '../../../platform/index.ts';
import { type CommandContext, type DatabaseCommandRuns, positionalAt, singleOption } from '../command.ts';
import { clientIdExpected, roleExpected } from '../errors.ts';
import { allPages } from '../pages.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { findTenant } from '../subjects.ts';

export const clientCommands: DatabaseCommandRuns = {
  async 'client add'(context, given) {
    const { id: tenant_id } = await findTenant(context, positionalAt(given, 0));
    const { role: roles, scope: scopes = [] } = given.options;
    if (!roles) throw roleExpected();
    const default_role = singleOption(given.options, 'default-role') ?? null;
    const input = { tenant_id, name: positionalAt(given, 1), roles, default_role, scopes };
    const { clientId, clientSecret, client } = await context.administration.createClient(context.administrator, input);
    return messageOutcome(`client_id      ${clientId}\nclient_secret  ${clientSecret}   (shown only once)`, {
      tenant_id,
      client_id: clientId,
      client_secret: clientSecret,
      roles: client.allowedRoles,
      default_role: client.defaultRole,
      scopes: client.scopes,
    });
  },

  async 'client list'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    const clients = await clientsOfTenant(context, id);
    return listOutcome(
      clients.map(({ clientId, name, allowedRoles, defaultRole, scopes, createdAt, revokedAt }) => ({
        client_id: clientId,
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
    const { id: tenant_id } = await findTenant(context, positionalAt(given, 0));
    const client_id = positionalAt(given, 1);
    if (!isUuid(client_id)) throw clientIdExpected();
    const input = { tenant_id, client_id };
    const { clientId } = await context.administration.revokeClient(context.administrator, input);
    return messageOutcome('the service account is revoked', { tenant_id, client_id: clientId });
  },
};

/** Returns the oldest first. */
async function clientsOfTenant({ administration, administrator }: CommandContext, tenant_id: number) {
  const clients = await allPages((page) => administration.listClients(administrator, { tenant_id, ...page }));
  return clients.toReversed();
}
