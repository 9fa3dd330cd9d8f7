import { afterAll, describe, expect, test } from '@jest/globals';
import { ProcessGroup } from '../../bench/machine/index.ts';
import { checkObservability, hasPrometheus, selectorsOf } from '../../deploy/observability/check/index.ts';
import { findPostgres } from '../../faults/cluster/index.ts';

// With the figures of each query: `npm run observability:check`.
const missing = [
  ...(hasPrometheus() ? [] : ['Prometheus (Debian: apt-get install prometheus)']),
  ...(findPostgres() === undefined ? ['PostgreSQL (initdb and postgres)'] : []),
];
if (missing.length > 0)
  process.stderr.write(`\nDASHBOARDS AND RULES NOT CHECKED AGAINST A REAL PROMETHEUS: install ${missing.join(', ')}\n`);

const group = new ProcessGroup();
afterAll(() => group.close());

(missing.length === 0 ? test : test.skip)(
  'every query of the dashboards and rules has data where everything happens that they are about',
  async () => {
    const { queries, problems } = await checkObservability(group, { withinSeconds: 120 }, () => {});
    expect(problems).toEqual([]);
    expect(queries).toBeGreaterThan(100);
  },
  300_000,
);

describe('the series that a query reads', () => {
  test.each([
    ['up', ['up']],
    ['sum by (le, job) (rate(a_total{job=~"x|y",code!="5.."}[5m]))', ['a_total{job=~"x|y",code!="5.."}']],
    ['(a:b_c:rate5m > bool 0.5) and (a:b_c:rate5m > bool 1e3)', ['a:b_c:rate5m']],
    ['histogram_quantile(0.95, sum by (le) (rate(d_seconds_bucket[1m])))', ['d_seconds_bucket']],
    ['count(ALERTS{alertstate="firing"}) or vector(0)', ['ALERTS{alertstate="firing"}']],
    ['topk(10, a) / 0.001 or 0 * b', ['a', 'b']],
  ])('%s', (expr, selectors) => {
    expect(selectorsOf(expr)).toEqual(selectors);
  });
});
