-- oldest compatible: 6

-- Jobs of callers: how many of them a tenant and a user have that have not ended. Ids of users are of any length.
CREATE INDEX live_of_caller ON portico_jobs.live (tenant, hashtextextended(coalesce(owner ->> 'x-hasura-user-id', ''), 2006))
  WHERE kind = 'action';

-- Accepts jobs as `accept` does, but for those of actions that are over a quota, of which it returns which one, `user` or `tenant`.
-- Jobs that do not say `is_limited` count and are never over one. A quota that is null is none. Processes that accept jobs of the same
-- tenant or user wait for each other, so that all of them together stay within it. These locks are taken before those of keys.
CREATE FUNCTION portico_jobs.accept_within(jobs jsonb, user_quota int, tenant_quota int)
RETURNS TABLE (index int, id uuid, is_known boolean, over_quota text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  lock_id int;
  refused jsonb;
  accepted jsonb := jobs;
BEGIN
  FOR lock_id IN
    SELECT DISTINCT hashtext(
      CASE WHEN j.tenant <> '' AND tenant_quota IS NOT NULL THEN j.tenant
      ELSE j.tenant || chr(1) || coalesce(j.owner ->> 'x-hasura-user-id', '') END)
    FROM jsonb_to_recordset(jobs) AS j (tenant text, owner jsonb, is_limited boolean)
    WHERE j.is_limited ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(2007, lock_id);
  END LOOP;
  WITH limited AS (
    SELECT j.index, j.tenant, coalesce(j.owner ->> 'x-hasura-user-id', '') AS caller
    FROM jsonb_to_recordset(jobs) AS j (index int, tenant text, owner jsonb, is_limited boolean) WHERE j.is_limited
  ), callers AS MATERIALIZED (
    SELECT d.tenant, d.caller, (
      SELECT count(*) FROM (
        SELECT FROM portico_jobs.live l
        WHERE l.kind = 'action' AND l.tenant = d.tenant
          AND hashtextextended(coalesce(l.owner ->> 'x-hasura-user-id', ''), 2006) = hashtextextended(d.caller, 2006)
        LIMIT user_quota) AS live) AS live
    FROM (SELECT DISTINCT tenant, caller FROM limited WHERE user_quota IS NOT NULL) AS d
  ), tenants AS MATERIALIZED (
    SELECT d.tenant, (
      SELECT count(*) FROM (
        SELECT FROM portico_jobs.live l WHERE l.kind = 'action' AND l.tenant = d.tenant LIMIT tenant_quota) AS live) AS live
    FROM (SELECT DISTINCT tenant FROM limited WHERE tenant_quota IS NOT NULL AND tenant <> '') AS d
  ), of_user AS MATERIALIZED (
    SELECT l.index, l.tenant,
      coalesce(c.live + row_number() OVER (PARTITION BY l.tenant, l.caller ORDER BY l.index) > user_quota, false) AS is_over
    FROM limited l LEFT JOIN callers c USING (tenant, caller)
  ), of_tenant AS (
    SELECT u.index, t.live + row_number() OVER (PARTITION BY u.tenant ORDER BY u.index) > tenant_quota AS is_over
    FROM of_user u JOIN tenants t USING (tenant) WHERE NOT u.is_over
  )
  SELECT jsonb_object_agg(o.index::text, o.quota) INTO refused FROM (
    SELECT index, 'user' AS quota FROM of_user WHERE is_over
    UNION ALL SELECT index, 'tenant' FROM of_tenant WHERE is_over) AS o;
  IF refused IS NOT NULL THEN
    SELECT jsonb_agg(e.job ORDER BY e.nth) INTO accepted
    FROM jsonb_array_elements(jobs) WITH ORDINALITY AS e (job, nth) WHERE NOT refused ? (e.job ->> 'index');
    RETURN QUERY SELECT r.key::int, NULL::uuid, false, r.value FROM jsonb_each_text(refused) AS r;
  END IF;
  IF accepted IS NOT NULL THEN
    RETURN QUERY SELECT a.index, a.id, a.is_known, NULL::text FROM portico_jobs.accept(accepted) AS a;
  END IF;
END $$;
