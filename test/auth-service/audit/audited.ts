import type { World } from '../world.ts';

/** What an entry says, without the time and its id. */
export interface Audited {
  tenant_id: number;
  event: string;
  outcome: string;
  actor_kind: string;
  actor_id: string | null;
  subject_kind: string | null;
  subject_id: string | null;
  client_address: string | null;
  user_agent: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
}

/** The entries that were added while `work` ran, in the order of time. */
export async function auditedBy(world: World, work: () => Promise<unknown>): Promise<Audited[]> {
  const before = new Set((await entries(world)).map(({ id }) => id));
  await work();
  return (await entries(world)).filter(({ id }) => !before.has(id)).map(({ id: _id, ...entry }) => entry);
}

function entries({ database }: World): Promise<(Audited & { id: string })[]> {
  return database.$queryRaw`
    SELECT tenant_id, id, event, outcome, actor_kind, actor_id, subject_kind, subject_id, client_address, user_agent,
      request_id, details
    FROM audit_log ORDER BY at, id`;
}
