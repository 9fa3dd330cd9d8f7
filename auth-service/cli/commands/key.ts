import { activationTime, beginRotation, readKeys, removalTime, resealKeys } from '../../tokens/index.ts';
import type { CommandContext, DatabaseCommand } from '../command.ts';
import { done, list } from '../print.ts';

export const keyCommands: readonly DatabaseCommand[] = [
  {
    name: 'key list',
    parameters: [],
    help: 'Lists the signing keys, with what happens to them next.',
    async run(context) {
      const policy = policyOf(context);
      const rows = await context.database.withoutTenant(readKeys);
      return list(
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
  },
  {
    name: 'key rotate',
    parameters: [],
    help: 'Publishes a new signing key. The running services sign with it once every verifier knows it.',
    async run(context) {
      const { kid, activatesAt, begun } = await beginRotation(
        context.database,
        context.sealer,
        policyOf(context),
        context.now(),
        context.author,
      );
      const what = begun ? 'is published' : 'was published before';
      return done(`the key ${kid} ${what} and signs from ${activatesAt.toISOString()} on`, {
        kid,
        begun,
        signs_from: activatesAt,
      });
    },
  },
  {
    name: 'key reseal',
    parameters: [],
    help:
      'Encrypts the signing keys and those of refresh tokens under AUTH_KEY_ENCRYPTION_KEY, where they are still under ' +
      'AUTH_KEY_ENCRYPTION_KEY_PREVIOUS. After it the previous one is needed no more.',
    async run({ database, sealer, now, author }) {
      const { resealed, unopened } = await resealKeys(database, sealer, now(), author);
      const problem = unopened.length > 0 ? `, ${unopened.length} open with neither key: ${unopened.join(', ')}` : '';
      return { json: { resealed, unopened }, text: `${resealed} keys resealed${problem}`, failed: unopened.length > 0 };
    },
  },
];

function policyOf({ config }: CommandContext) {
  return { ...config.signingKeys, tokenSeconds: config.accessTokens.lifetimeSeconds };
}
