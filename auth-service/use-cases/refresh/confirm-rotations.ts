import { type Database, Prisma } from '../../database/index.ts';

/** A refresh token that was exchanged for its successor. */
export interface SpentToken {
  readonly tenantId: number;
  readonly tokenHash: Uint8Array;
}

/** `at`: when the reply with the successor was sent. */
export type ConfirmRotations = (delivered: readonly (SpentToken & { readonly at: Date })[]) => Promise<void>;

/** Records that replies were delivered: from then on the grace time of their tokens runs. */
export function createConfirmRotations(database: Database): ConfirmRotations {
  return async (delivered) => {
    for (const tenantId of new Set(delivered.map((token) => token.tenantId))) {
      const rows = delivered
        .filter((token) => token.tenantId === tenantId)
        .map(({ tokenHash, at }) => ({ hash: Buffer.from(tokenHash).toString('hex'), at }));
      // decode() is not leakproof: behind row-level security it must not stand in the condition that an index is to find.
      await database.single.inTenant(
        tenantId,
        Prisma.sql`
          WITH delivered AS MATERIALIZED (
            SELECT decode(hash, 'hex') AS hash, at
            FROM json_to_recordset(${JSON.stringify(rows)}::json) AS rows (hash text, at timestamptz)
          )
          UPDATE refresh_tokens SET awaiting_answer = false, used_at = delivered.at
          FROM delivered
          WHERE tenant_id = ${tenantId} AND refresh_tokens.hash = delivered.hash AND awaiting_answer`,
        'confirm-rotations',
      );
    }
  };
}
