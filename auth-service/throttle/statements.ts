import { CLOCK_TOLERANCE_MS } from './store.ts';

/** Returns an expression for the milliseconds of a time since the epoch, or of an interval. */
function inMilliseconds(timeOrInterval: string): string {
  return `round(extract(epoch FROM ${timeOrInterval}) * 1000)::float8`;
}

/**
 * Returns an expression for the end of the delay after failure `number`. Without a delay, the end is far in the past, so that
 * no slow clock sees a delay. A failure that has faded a little still counts as a whole one.
 */
function waitEnd(number: string): string {
  const whole = `ceil(${number} - 0.000001)`;
  return `CASE WHEN ${whole} < free THEN to_timestamp(0) ELSE $1::timestamptz +
    ("waitsMs" ->> least(${whole} - free, jsonb_array_length("waitsMs") - 1)::int)::float8 * interval '1 ms' END`;
}

/**
 * The latest possible end of the longest delay, by a clock that is a minute ahead. A later end comes from a wrong clock, and
 * would apply until that time.
 */
const LATEST_END = `$1::timestamptz + (("waitsMs" ->> -1)::float8 + ${CLOCK_TOLERANCE_MS}) * interval '1 ms'`;

function forgottenAt(number: string): string {
  return `$1::timestamptz + ${number} / fading * interval '1 ms'`;
}

const FADED = `counter.failures - fading * greatest(0, ${inMilliseconds('$1::timestamptz - counter.counted_at')})`;

/**
 * Selects the device if it is known, its counters, and which of these require a delay. $1: now; $2: the device's key; $3: the
 * counters with their schedules, as JSON.
 */
const LOOKED_AT = `
  WITH device AS MATERIALIZED (
    SELECT key, expires_at FROM known_devices WHERE key = $2 AND expires_at > $1::timestamptz
  ), asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($3::jsonb)
      AS asked(key text, known boolean, free float8, "waitsMs" jsonb, most float8, fading float8)
    WHERE known IS NULL OR known = EXISTS (SELECT FROM device)
  ), waiting AS MATERIALIZED (
    SELECT key, waits_until FROM login_attempts
    WHERE key = ANY(ARRAY(SELECT key FROM asked)) AND waits_until > $1::timestamptz
      AND waits_until <= (SELECT ${LATEST_END} FROM asked WHERE asked.key = login_attempts.key)
  )`;

const FOUND = `
  SELECT 'waiting' AS what, key, ${inMilliseconds('waits_until')} AS until FROM waiting
  UNION ALL
  SELECT 'device', key, ${inMilliseconds('expires_at')} FROM device`;

/** The rows of `PEEK` and `CONSUME`. `until` is in milliseconds since the epoch. */
export interface FoundRow {
  /** `taken`: a failure was counted. `waiting`: the counter requires a delay. `device`: the device is known. */
  readonly what: 'taken' | 'waiting' | 'device';
  readonly key: string;
  readonly until: number;
}

/** The parameters are those of `LOOKED_AT`. */
export const PEEK = `${LOOKED_AT}${FOUND}`;

/** Like `PEEK`, and counts a failure in each of the counters if none of them requires a delay. */
export const CONSUME = `${LOOKED_AT}, taken AS (
    INSERT INTO login_attempts AS counter (key, failures, counted_at, waits_until, forgotten_at)
    SELECT key, 1, $1::timestamptz, ${waitEnd('1')}, ${forgottenAt('1')} FROM asked
    WHERE NOT EXISTS (SELECT FROM waiting)
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET (failures, counted_at, waits_until, forgotten_at) = (
      SELECT number, greatest(counter.counted_at, $1::timestamptz), ${waitEnd('number')}, ${forgottenAt('number')}
      FROM asked, LATERAL (SELECT least(most, greatest(0, ${FADED}) + 1)) AS counted(number)
      WHERE asked.key = counter.key
    )
    WHERE counter.waits_until <= $1::timestamptz
      OR counter.waits_until > (SELECT ${LATEST_END} FROM asked WHERE asked.key = counter.key)
    RETURNING key, waits_until
  )
  SELECT 'taken' AS what, key, ${inMilliseconds('waits_until')} AS until FROM taken
  UNION ALL ${FOUND}`;

/**
 * Refunds failures, and stores a device. The rows of counters are always locked before the row of the device. $1: the refunds,
 * as JSON; $2: the device's key, or null; $3: until when it is known.
 */
export const REFUND = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS given(key text, "end" float8, "all" boolean)
  ), locked AS MATERIALIZED (
    SELECT key FROM login_attempts WHERE key = ANY(ARRAY(SELECT key FROM given)) ORDER BY key FOR UPDATE
  ), remembered AS (
    INSERT INTO known_devices (key, expires_at)
    SELECT $2::text, $3::timestamptz WHERE $2::text IS NOT NULL AND (SELECT count(*) FROM locked) >= 0
    ON CONFLICT (key) DO UPDATE SET expires_at = EXCLUDED.expires_at
  )
  UPDATE login_attempts AS counter SET
    failures = CASE WHEN "all" THEN 0 ELSE greatest(0, failures - 1) END,
    waits_until = CASE WHEN "all" OR ${inMilliseconds('waits_until')} = "end"
      THEN to_timestamp(0) ELSE waits_until END
  FROM given JOIN locked USING (key)
  WHERE counter.key = given.key`;

/** Removes counters. $1: their keys, as JSON. */
export const FORGET = `
  DELETE FROM login_attempts WHERE key IN (
    SELECT key FROM login_attempts WHERE key = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb)))
    ORDER BY key FOR UPDATE)`;
