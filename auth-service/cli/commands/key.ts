import { activationTime, beginRotation, readSigningKeys, removalTime, resealKeys } from '../../tokens/index.ts';
import type { CommandContext, DatabaseCommandRuns } from '../command.ts';
import { listOutcome, messageOutcome } from '../print.ts';

export const keyCommands: DatabaseCommandRuns = {
  async 'key list'(context) {
    const policy = policyOf(context);
    const rows = await context.database.withoutTenant(readSigningKeys);
    return listOutcome(
      rows.map((row) => ({
        kid: row.kid,
        algorithm: row.algorithm,
        state: row.state,
        created_at: row.createdAt,
        signs_from: row.activatedAt ?? activationTime(row, policy),
        signed_until: row.retiredAt,
        removed_at: row.retiredAt ? removalTime(row, policy) : null,
      })),
    );
  },

  async 'key rotate'(context) {
    const { kid, activatesAt, begun, refreshTokenKey } = await beginRotation(
      context.database,
      context.sealer,
      policyOf(context),
      context.now(),
      context.author,
    );
    const what = begun ? 'is published' : 'was published before';
    const signing = `the key ${kid} ${what} and signs from ${activatesAt.toISOString()} on`;
    const { id, issuesFrom } = refreshTokenKey;
    const issuing = `the key ${id} of refresh tokens makes new ones from ${issuesFrom.toISOString()} on`;
    return messageOutcome(`${signing}; ${issuing}`, {
      kid,
      begun,
      signs_from: activatesAt,
      refresh_token_key: { id, begun: refreshTokenKey.begun, issues_from: issuesFrom },
    });
  },

  async 'key reseal'({ database, sealer, now, author }) {
    const { resealed, unopened } = await resealKeys(database, sealer, now(), author);
    const problem = unopened.length > 0 ? `, ${unopened.length} open with neither key: ${unopened.join(', ')}` : '';
    return { json: { resealed, unopened }, text: `${resealed} keys resealed${problem}`, failed: unopened.length > 0 };
  },
};

function policyOf({ config }: CommandContext) {
  return { ...config.signingKeys, tokenSeconds: config.accessTokens.lifetimeSeconds };
}
