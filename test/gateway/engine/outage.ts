import { type ExecutionResult, Kind, parse } from 'graphql';
import type { ServiceRequest } from './in-process-services.ts';

/** How a service fails: it cannot be reached, it fails each field that it is asked for, or it does not find entities. */
export type OutageKind = 'unreachable' | 'errors' | 'no-entities';

export const OUTAGES: readonly OutageKind[] = ['unreachable', 'errors', 'no-entities'];

export interface Outage {
  readonly service: string;
  readonly kind: OutageKind;
}

export function isDown(outage: Outage | undefined, service: string): outage is Outage {
  return outage?.service === service;
}

/** What a service that fails makes of its answer. */
export async function withOutage(
  { service, kind }: Outage,
  { query }: ServiceRequest,
  answer: () => Promise<ExecutionResult>,
): Promise<unknown> {
  if (kind === 'unreachable') throw new Error(`${service} is down`);
  const { data, ...rest } = await answer();
  if (!data) return { data, ...rest };
  const entities = entityKeys(query);
  const isEntities = (key: string, value: unknown): value is unknown[] => entities.has(key) && Array.isArray(value);
  const nulls = (value: readonly unknown[]) => value.map(() => null);
  if (kind === 'no-entities') {
    const found = Object.entries(data).map(([key, value]) => [key, isEntities(key, value) ? nulls(value) : value]);
    return { data: Object.fromEntries(found), ...rest };
  }
  const paths = Object.entries(data).flatMap(([key, value]) =>
    isEntities(key, value) ? value.map((_, at) => [key, at]) : [[key]],
  );
  return {
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, isEntities(key, value) ? nulls(value) : null]),
    ),
    errors: paths.map((path) => ({ message: `${service} fails`, path, extensions: { code: 'OUTAGE' } })),
  };
}

/** The response keys of entities. */
function entityKeys(query: string): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const definition of parse(query).definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION)
      for (const selection of definition.selectionSet.selections)
        if (selection.kind === Kind.FIELD && selection.name.value === '_entities')
          keys.add((selection.alias ?? selection.name).value);
  return keys;
}
