import { type BundledFile, bundledFiles } from './bundled-files.ts';

/** The part of V8's `--cpu-prof` output that is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The use of time: names and their shares from 0 to 1, the greatest first. */
export type Shares = readonly (readonly [name: string, share: number])[];

/**
 * Summarizes the self time of a profile by group (a folder of Portico, a package, a part of Node.js) and by function. Idle time
 * and the first `skipMs` are left out.
 */
export function summarise(profile: CpuProfile, skipMs = 0): { readonly groups: Shares; readonly functions: Shares } {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const groups = new Map<string, number>();
  const functions = new Map<string, number>();
  const bundledFile = bundledFiles();
  let total = 0;
  let elapsed = 0;
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    const micros = profile.timeDeltas[index] ?? 0;
    elapsed += micros;
    if (elapsed <= skipMs * 1000) return;
    if (!frame || frame.functionName === '(idle)' || micros <= 0) return;
    total += micros;
    const group = groupOf(frame, bundledFile);
    addShare(groups, group, micros);
    addShare(functions, `${frame.functionName || '(anonymous)'} [${group}]`, micros);
  });
  return { groups: sharesOf(groups, total), functions: sharesOf(functions, total) };
}

function addShare(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

function sharesOf(sums: ReadonlyMap<string, number>, total: number): Shares {
  return [...sums].map(([name, sum]) => [name, sum / total] as const).sort(([, left], [, right]) => right - left);
}

/**
 * Returns a group such as `portico/pipeline`, `undici`, `node:http` or `(garbage collector)`. V8's code without a file is
 * `native`.
 */
export function groupOf(
  { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'],
  bundledFile: BundledFile = bundledFiles(),
): string {
  if (functionName.startsWith('(')) return functionName;
  if (url.startsWith('node:'))
    return `node:${
      url
        .slice('node:'.length)
        .replace(/^internal\//, '')
        .split('/')[0]
    }`;
  // Bundled packages are written without the comments that name files. Chunks contain what several packages share.
  const inPackages = /\/dist\/packages\/((?:@[^/]+\/)?[^/]+?)(?:\.js$|\/)/.exec(url)?.[1];
  if (inPackages !== undefined) return inPackages === 'chunks' ? 'packages' : inPackages;
  const bundled = bundledFile(url, lineNumber);
  const file = bundled === undefined ? url : `/dist/${bundled}`;
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (dependency !== undefined) return dependency;
  const room = /\/dist\/(?:gateway|auth-service)\/([^/]+)\//.exec(file)?.[1] ?? /\/dist\/([^/]+)\//.exec(file)?.[1];
  return room === undefined ? 'native' : `portico/${room}`;
}
