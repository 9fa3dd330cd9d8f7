import { isDeepStrictEqual } from 'node:util';
import type { Case, CaseOperation, Way } from './cases/index.ts';
import { composeElsewhere } from './compose-elsewhere.ts';
import type { Engine, EngineGraph, OpenEngine } from './product-engine.ts';
import { openStrictServices, type StrictServices } from './strict-services.ts';

export interface OpenedCase {
  readonly engine: Engine;
  readonly services: StrictServices;
}

/** @throws NotComposed, see `product-engine.ts` */
export async function openCase(one: Case, way: Way, openEngine: OpenEngine): Promise<OpenedCase> {
  const services = openStrictServices(one);
  return { engine: await openEngine(graphOf(one, way, services), services.services), services };
}

function graphOf(one: Case, way: Way, { sdls }: StrictServices): EngineGraph {
  if (way === 'composed') return { subgraphs: [...sdls].map(([name, sdl]) => ({ name, sdl })) };
  if (one.supergraphSdl !== undefined) return { supergraphSdl: one.supergraphSdl };
  if (!one.edited) return { supergraphSdl: composeElsewhere(sdls) };
  const others = openStrictServices({ ...one, subgraphs: one.edited.subgraphs });
  return { supergraphSdl: one.edited.edit(composeElsewhere(others.sdls)) };
}

/** What is wrong with the answer to an operation; undefined where it is right. */
export async function problemOf(
  { engine, services }: OpenedCase,
  { text, variables, expected, mayBeRefused }: CaseOperation,
): Promise<object | undefined> {
  services.rejections.length = 0;
  const { calls, waves, ...answer } = await engine.run(text, variables);
  if (mayBeRefused && answer.data === undefined && calls.length === 0 && hasCode(answer)) return undefined;
  const { rejections } = services;
  if (rejections.length === 0 && isDeepStrictEqual(answer, expected)) return undefined;
  return { answer, expected, rejections: [...rejections], calls };
}

function hasCode({ errors = [] }: { readonly errors?: readonly object[] }): boolean {
  return errors.every((error) => typeof (error as { extensions?: { code?: unknown } }).extensions?.code === 'string');
}
