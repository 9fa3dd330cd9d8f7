import { type Database, Prisma } from '../../database/index.ts';

/** A refresh token that was exchanged for its successor. */
export interface SpentToken {
  readonly tenantId: number;
  readonly tokenHash: Uint8Array;
}

/** `at`: when the response with the successor was sent. */
export type ConfirmRotations = (delivered: readonly (SpentToken & { readonly at: Date })[]) => Promise<void>;

/** Records that responses were delivered. The grace time of their tokens begins then. */
export function createConfirmRotations(database: Database): ConfirmRotations {
  return async (delivered) => {
    for (const tenantId of new Set(delivered.map((token) => token.tenantId))) {
      const rows = delivered
        .filter((token) => token.tenantId === tenantId)
        .map(({ tokenHash, at }) => ({ hash: Buffer.from(tokenHash).toString('hex'), at }));
      // decode() is not leakproof: with row-level security, an index cannot be used for a condition that contains it.
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
