import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface UsageLine {
  readonly kind: string;
  readonly [member: string]: unknown;
}

export interface UsageDirectory {
  readonly path: string;
  /** The texts of its files, by their names. */
  files(): ReadonlyMap<string, string>;
  /** The lines of all files. */
  lines(): readonly UsageLine[];
  /** Uses as `operation client version role`, with their counts. */
  uses(): Readonly<Record<string, number>>;
  close(): void;
}

/** A directory that gateways write usage to. */
export function usageDirectory(): UsageDirectory {
  const parent = mkdtempSync(join(tmpdir(), 'portico-usage-'));
  const path = join(parent, 'usage');
  const files = () =>
    new Map(
      (existsSync(path) ? readdirSync(path) : [])
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => [name, readFileSync(join(path, name), 'utf8')]),
    );
  const lines = (): UsageLine[] =>
    [...files().values()].flatMap((text) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  return {
    path,
    files,
    lines,
    uses: () => {
      const all = lines();
      const names = new Map(all.filter(({ kind }) => kind === 'operation').map(({ id, name }) => [id, name]));
      const counts: Record<string, number> = {};
      for (const { kind, operation, client, version, role, count } of all) {
        if (kind !== 'uses') continue;
        const key = [names.get(operation), client, version, role].filter((part) => part !== undefined).join(' ');
        counts[key] = (counts[key] ?? 0) + (count as number);
      }
      return counts;
    },
    close: () => rmSync(parent, { recursive: true, force: true }),
  };
}
