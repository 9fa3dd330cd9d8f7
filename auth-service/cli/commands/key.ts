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
    const what = begun ? 'is published' : 'was already published';
    const signing = `the key ${kid} ${what} and signs from ${activatesAt.toISOString()}`;
    const { id, issuesFrom } = refreshTokenKey;
    const issuing = `the refresh token key ${id} is used for new tokens from ${issuesFrom.toISOString()}`;
    return messageOutcome(`${signing}; ${issuing}`, {
      kid,
      begun,
      signs_from: activatesAt,
      refresh_token_key: { id, begun: refreshTokenKey.begun, issues_from: issuesFrom },
    });
  },

  async 'key retire'({ administration, administrator }, given) {
    const { kid } = await administration.retireKey(administrator, { kid: positionalAt(given, 0) });
    return messageOutcome(`the key ${kid} is removed; tokens signed with it are rejected within minutes`, { kid });
  },

  async 'key reseal'({ database, sealer, now, author }) {
    const { resealed, unopened } = await resealKeys(database, sealer, now(), author);
    const problem =
      unopened.length > 0 ? `; ${unopened.length} cannot be decrypted with either key: ${unopened.join(', ')}` : '';
    return {
      json: { resealed, unopened },
      text: `${resealed} keys encrypted with the new key${problem}`,
      failed: unopened.length > 0,
    };
  },
};
