import { resealKeys } from '../../tokens/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { listOutcome, messageOutcome } from '../print.ts';

export const keyCommands: DatabaseCommandRuns = {
  async 'key list'({ administration, administrator }) {
    const keys = await administration.listKeys(administrator);
    return listOutcome(
      keys.map((key) => ({
        kid: key.kid,
        algorithm: key.algorithm,
        state: key.state,
        created_at: key.createdAt,
        signs_from: key.signsFrom,
        signed_until: key.signedUntil,
        removed_at: key.removedAt,
      })),
    );
  },

  async 'key rotate'({ administration, administrator }) {
    const { kid, activatesAt, begun, refreshTokenKey } = await administration.rotateKeys(administrator, {});
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

  async 'key retire'({ administration, administrator }, given) {
    const { kid } = await administration.retireKey(administrator, { kid: positionalAt(given, 0) });
    return messageOutcome(`the key ${kid} is removed; tokens that it signed are refused within minutes`, { kid });
  },

  async 'key reseal'({ database, sealer, now, author }) {
    const { resealed, unopened } = await resealKeys(database, sealer, now(), author);
    const problem = unopened.length > 0 ? `, ${unopened.length} open with neither key: ${unopened.join(', ')}` : '';
    return { json: { resealed, unopened }, text: `${resealed} keys resealed${problem}`, failed: unopened.length > 0 };
  },
};
