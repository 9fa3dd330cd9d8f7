type Path = readonly (string | number)[];
type Json = Record<string, unknown>;

/** What a client of the format v0.2 has at the end of a response. */
export interface Merged {
  readonly data: unknown;
  readonly errors: readonly unknown[];
  /** The labels and paths that were announced. */
  readonly announced: readonly Json[];
}

/**
 * Reads payloads as the proposal for incremental delivery has them, and merges them.
 *
 * @throws Error where they are not as the proposal says.
 */
export function mergedNewer(parts: readonly unknown[]): Merged {
  const [first, ...others] = parts as Json[];
  if (!first || !('data' in first)) throw new Error('the first payload has no data');
  const { data } = first;
  const errors: unknown[] = [...listOf(first.errors)];
  const ids = new Set<string>();
  const pending = new Map<string, Json>();
  const announced: Json[] = [];

  const take = (payload: Json) => {
    for (const one of listOf(payload.pending)) {
      const id = String(one.id);
      if (typeof one.id !== 'string' || !Array.isArray(one.path) || ids.has(id))
        throw new Error(`not to be announced: ${id}`);
      ids.add(id);
      pending.set(id, one);
      announced.push({ path: one.path, ...('label' in one && { label: one.label }) });
    }
    for (const one of listOf(payload.incremental)) {
      if ('path' in one || 'label' in one) throw new Error('a result of the older format');
      const of = pending.get(String(one.id));
      if (!of) throw new Error(`the result of ${String(one.id)} was not announced`);
      errors.push(...listOf(one.errors));
      const place = placeIn(data, [...(of.path as Path), ...((one.subPath as Path | undefined) ?? [])]);
      if (Array.isArray(one.items)) (place as unknown[]).push(...one.items);
      else deepMerge(place as Json, one.data as Json);
    }
    for (const one of listOf(payload.completed)) {
      if (!pending.delete(String(one.id))) throw new Error(`${String(one.id)} was not pending`);
      errors.push(...listOf(one.errors));
    }
    if (payload.hasNext !== pending.size > 0) throw new Error(`hasNext is wrong in ${JSON.stringify(payload)}`);
  };

  if (listOf(first.pending).length === 0) throw new Error('the first payload announces nothing');
  take(first);
  for (const other of others) {
    const strange = Object.keys(other).filter(
      (key) => !['pending', 'incremental', 'completed', 'hasNext'].includes(key),
    );
    if (strange.length > 0) throw new Error(`a payload has ${strange.join(', ')}`);
    take(other);
  }
  return { data, errors, announced };
}

function listOf(value: unknown): readonly Json[] {
  return (value as Json[] | undefined) ?? [];
}

function placeIn(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Json)[key], data);
}

function deepMerge(into: Json, from: Json): void {
  for (const [key, value] of Object.entries(from)) {
    const known = into[key];
    if (known && value && typeof known === 'object' && typeof value === 'object')
      deepMerge(known as Json, value as Json);
    else into[key] = value;
  }
}
