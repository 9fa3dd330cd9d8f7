import type { JobsDatabase } from './database/index.ts';

/** How far the times of a cron trigger have been turned into jobs. */
export interface CronPlan {
  /** The name of the trigger. */
  readonly name: string;
  /** Any text that changes when the schedule does. */
  readonly schedule: string;
  readonly plannedUntil: Date;
}

export interface CronPlans {
  /** The database's clock, which all processes share. */
  readonly now: Date;
  readonly plans: ReadonlyMap<string, CronPlan>;
}

interface PlanRow {
  readonly now: Date;
  readonly name: string | null;
  readonly schedule: string;
  readonly planned_until: Date;
}

/** Stores the plans of cron triggers in the database. */
export class CronPlanStore {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** @throws Error if the database does not respond. */
  async read(): Promise<CronPlans> {
    const rows = await this.#database.query<PlanRow>(
      'SELECT clock_timestamp() AS now, p.* FROM (SELECT 1) AS one LEFT JOIN portico_jobs.cron_plan p ON true',
    );
    const plans = rows.flatMap(({ name, schedule, planned_until: plannedUntil }) =>
      name === null ? [] : [[name, { name, schedule, plannedUntil }] as const],
    );
    return { now: rows[0]?.now ?? new Date(), plans: new Map(plans) };
  }

  /**
   * Saves plans. Deletes plans of removed triggers that have not been saved for a day. @throws Error if the plans could not be
   * saved.
   */
  async save(plans: readonly CronPlan[]): Promise<void> {
    const rows = plans.map(({ name, schedule, plannedUntil }) => ({ name, schedule, planned_until: plannedUntil }));
    await this.#database.query(SAVE, [JSON.stringify(rows)]);
  }

  /** Forgets removed triggers. A trigger that is added again begins anew. @throws Error if the database does not respond. */
  async remove(names: readonly string[]): Promise<void> {
    await this.#database.query('DELETE FROM portico_jobs.cron_plan WHERE name = ANY ($1)', [names]);
  }
}

const SAVE = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (name text, schedule text, planned_until timestamptz)
  ), forgotten AS (
    DELETE FROM portico_jobs.cron_plan p
    WHERE p.seen_at < clock_timestamp() - interval '1 day' AND NOT EXISTS (SELECT FROM given g WHERE g.name = p.name)
  )
  INSERT INTO portico_jobs.cron_plan AS p (name, schedule, planned_until, seen_at)
  SELECT g.name, g.schedule, g.planned_until, clock_timestamp() FROM given g ORDER BY g.name
  ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule, seen_at = excluded.seen_at,
    planned_until = CASE WHEN p.schedule = excluded.schedule THEN greatest(p.planned_until, excluded.planned_until)
      ELSE excluded.planned_until END`;
