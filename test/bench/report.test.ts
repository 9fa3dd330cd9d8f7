import { describe, expect, test } from '@jest/globals';
import { barCharts, escapeXml } from '../../bench/report/chart.ts';
import { compareRows } from '../../bench/report/comparison.ts';
import type { Results } from '../../bench/report/results.ts';
import { median, relativeSpread, trimmedMean } from '../../bench/report/statistics.ts';
import { summaryText } from '../../bench/report/summary.ts';
import { figure, markdownTable } from '../../bench/report/table.ts';
import { putBetweenMarkers } from '../../bench/report/write.ts';
import { ROWS } from '../../bench/rows.ts';
import { TARGETS, targetsNamed } from '../../bench/targets/index.ts';

describe('statistics', () => {
  test('the median is the middle value, whatever the order', () => {
    expect(median([30, 10, 20])).toBe(20);
    expect(median([100, 20, 3])).toBe(20);
  });

  test('between two middle values it is half way', () => {
    expect(median([1, 2, 4, 100])).toBe(3);
  });

  test('nothing has no median', () => {
    expect(() => median([])).toThrow(/no median/);
  });

  test('a trimmed mean leaves out the extremes, and of few values none', () => {
    expect(trimmedMean([1000, 2, 4, 3, -1000], 0.2)).toBe(3);
    expect(trimmedMean([1, 2, 6], 0.2)).toBe(3);
    expect(() => trimmedMean([], 0.2)).toThrow(/no mean/);
  });

  test('the spread is the distance of the extremes as a share of the median', () => {
    expect(relativeSpread([90, 100, 120])).toBeCloseTo(0.3);
    expect(relativeSpread([5])).toBe(0);
    expect(relativeSpread([0, 0])).toBe(0);
  });
});

describe('comparison', () => {
  const result = (target: string, requestsPerSecond: number, upstreamPerRequest = 1) => ({
    row: 'H' as const,
    target,
    requestsPerSecond,
    upstreamPerRequest,
    spread: 0,
    p50Ms: 1,
    p99Ms: 2,
    cpuPerRequestUs: 10,
    peakMb: 100,
    errors: 0,
  });
  const targets = targetsNamed(['ideal', 'portico', 'mercurius', 'hive-dedupe']);

  test('each is set beside the hand-written limit and the best peer of its row', () => {
    const compared = compareRows([result('mercurius', 500), result('portico', 1_000), result('ideal', 2_000)], targets);
    expect(compared.map(({ target, ofIdeal, ofBestPeer }) => [target, ofIdeal, ofBestPeer])).toEqual([
      ['ideal', 1, 4],
      ['portico', 0.5, 2],
      ['mercurius', 0.25, 1],
    ]);
  });

  test('a peer that shares answers between requests is marked, and is not the best peer', () => {
    const compared = compareRows(
      [result('portico', 1_000), result('mercurius', 500), result('hive-dedupe', 4_000, 0.05)],
      targets,
    );
    expect(compared.find(({ target }) => target === 'hive-dedupe')?.shares).toBe(true);
    expect(compared.find(({ target }) => target === 'portico')).toMatchObject({ shares: false, ofBestPeer: 2 });
  });

  test('without a limit or a peer in the row there is nothing to compare with', () => {
    expect(compareRows([result('portico', 1_000)], targets)[0]).toMatchObject({
      ofIdeal: undefined,
      ofBestPeer: undefined,
    });
  });
});

describe('the paragraph to quote', () => {
  const machine = { cores: 2, processor: 'Some EPYC', memoryGb: 24, system: 'Linux', node: '20.0.0' };
  const line = (target: string, cpuPerRequestUs: number, upstreamPerRequest = 1) => ({
    ...{ row: 'U' as const, target, requestsPerSecond: 1, upstreamPerRequest, spread: 0, errors: 0 },
    ...{ p50Ms: 1, p99Ms: 2, cpuPerRequestUs, peakMb: 100 },
  });
  const targets = targetsNamed(['ideal', 'portico', 'mercurius', 'grafbase', 'hive-dedupe']);
  const summary = (...lines: ReturnType<typeof line>[]) =>
    summaryText({ rows: compareRows(lines, targets), machine } as unknown as Results);

  test('compares with the limit and with the peer that takes least, of those that send every call', () => {
    expect(
      summary(
        line('portico', 60),
        line('ideal', 50),
        line('mercurius', 90),
        line('grafbase', 80),
        line('hive-dedupe', 1, 0.1),
      ),
    ).toBe(
      '**Processor time of a request, on one core of Some EPYC, Node 20.0.0.** U, one field, another variable each time: Portico 60.0 µs, ideal (by hand) 50.0 µs, Grafbase (Rust) 80.0 µs.\n\n',
    );
  });

  test('says nothing without something to compare with', () => {
    expect(summary(line('portico', 60))).toBe('');
  });
});

describe('tables', () => {
  test('columns line up, and what would break a table is escaped', () => {
    expect(
      markdownTable(
        ['name', 'n'],
        [
          ['a|b', '1'],
          ['line\nbreak', '12,345'],
        ],
      ),
    ).toBe(
      [
        '| name       |      n |',
        '| ---------- | -----: |',
        '| a\\|b       |      1 |',
        '| line break | 12,345 |',
        '',
      ].join('\n'),
    );
  });

  test('figures have as many digits as say something', () => {
    expect([12_345.6, 123.4, 12.34, 1.234, 0.126, undefined].map(figure)).toEqual([
      '12,346',
      '123',
      '12.3',
      '1.23',
      '0.13',
      '',
    ]);
  });

  test('a page gets the text between its markers, and keeps the rest', () => {
    const page = 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n';
    const once = putBetweenMarkers(page, 'new\n');
    expect(once).toBe('before\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nafter\n');
    expect(putBetweenMarkers(once, 'new\n')).toBe(once);
    expect(() => putBetweenMarkers('no markers', 'new')).toThrow(/bench:begin/);
  });
});

describe('the picture', () => {
  const bar = (label: string, value: number) => ({ label, value, text: String(value), kind: 'peer' as const });

  test('text cannot break out of the document', () => {
    expect(escapeXml(`<a href="x">'&'</a>`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;');
    const svg = barCharts('<title>', 'a & b', [{ title: '"quoted"', bars: [bar('</text><script>', 1)] }]);
    expect(svg).not.toContain('<script>');
    expect(svg).toContain('a &amp; b');
  });

  test('titles of rows and targets fit beside their bars', () => {
    for (const { title } of Object.values(ROWS)) expect(title.length).toBeLessThanOrEqual(55);
    for (const { title } of TARGETS) expect(title.length).toBeLessThanOrEqual(36);
  });

  test('bars are as long as their values say', () => {
    const svg = barCharts('', '', [{ title: '', bars: [bar('all', 200), bar('half', 100)] }]);
    const [all = 0, half = 0] = [...svg.matchAll(/<rect class="peer"[^>]* width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(all).toBeGreaterThan(100);
    expect(half / all).toBeCloseTo(0.5, 2);
  });
});
