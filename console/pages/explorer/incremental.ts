import { ownMemberOf, setMember } from './own-members.ts';

/** A payload of incremental delivery, in the format `deferSpec=20220824`: the first one, or what comes after it. */
export interface IncrementalPayload {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: unknown;
  readonly hasNext?: boolean;
  readonly incremental?: readonly Patch[];
}

interface Patch {
  readonly path?: readonly (string | number)[];
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly items?: readonly unknown[] | null;
  readonly errors?: readonly unknown[];
}

interface MergedResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: unknown;
}

/** What a result is with one more payload. Neither is changed. */
export function withPayload(before: MergedResult | undefined, payload: IncrementalPayload): MergedResult {
  const { data, errors, extensions, incremental = [] } = payload;
  if (before === undefined)
    return {
      ...('data' in payload && { data }),
      ...(errors && { errors }),
      ...(extensions !== undefined && { extensions }),
    };
  const patched = structuredClone(before.data);
  const all = [...(before.errors ?? []), ...(errors ?? [])];
  for (const patch of incremental) {
    apply(patched, patch);
    all.push(...(patch.errors ?? []));
  }
  return { ...before, data: patched, ...(all.length > 0 && { errors: all }) };
}

function apply(root: unknown, { path = [], data, items }: Patch): void {
  // `@stream` names the place of its first item.
  const way = items === undefined ? path : path.slice(0, -1);
  let place = root;
  for (const step of way) place = ownMemberOf(place, step);
  if (typeof place !== 'object' || place === null) return;
  if (Array.isArray(place)) place.push(...(items ?? []));
  else if (data) merge(place, data);
}

function merge(into: object, data: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(data)) {
    const known = ownMemberOf(into, name);
    if (isObject(known) && isObject(value)) merge(known, value);
    else setMember(into, name, value);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
