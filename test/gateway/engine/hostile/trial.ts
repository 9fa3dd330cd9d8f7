import { performance } from 'node:perf_hooks';
import type { Service } from '../in-process-services.ts';
import { type Engine, NotAnswered, NotComposed, openProductEngine } from '../product-engine.ts';
import { sdlsOf } from '../strict-services.ts';
import { HOSTILE_CASES, type HostileCase } from './cases.ts';

/** What became of one operation. */
export interface Outcome {
  readonly index: number;
  readonly outcome:
    | 'planned'
    | 'refused'
    | 'not composed'
    | 'never answered'
    | 'failed'
    | 'never returned'
    | 'ended the process';
  /** Of the error that refuses it, or of the failure. */
  readonly code?: string | undefined;
  /** Those that planning took, where the engine counts them. */
  readonly steps?: number | undefined;
  /** The longest time that the event loop stood still, in milliseconds. */
  readonly blockMs?: number;
  /** The processor time of planning, all threads, in milliseconds. */
  readonly cpuMs?: number;
  /** How many calls the first wave makes. */
  readonly calls?: number;
}

/** Tries cases one after the other. Those of the same subgraphs share an engine. */
export function openTrial(): (index: number) => Promise<Outcome> {
  let opened: { readonly subgraphs: HostileCase['subgraphs']; readonly engine: Engine } | undefined;
  return async (index) => {
    const hostile = HOSTILE_CASES[index];
    if (!hostile) throw new RangeError(`no case ${index}`);
    try {
      if (opened?.subgraphs !== hostile.subgraphs) {
        opened?.engine.close();
        opened = { subgraphs: hostile.subgraphs, engine: await openOver(hostile) };
      }
      return await tryCase(index, hostile, opened.engine);
    } catch (error) {
      if (error instanceof NotComposed) return { index, outcome: 'not composed', code: error.message };
      if (error instanceof NotAnswered) return { index, outcome: 'never answered' };
      return { index, outcome: 'failed', code: String(error) };
    }
  };
}

/** Its services give nothing, so that planning is all that takes long. */
async function openOver(hostile: HostileCase): Promise<Engine> {
  const sdls = sdlsOf(hostile);
  const nothing: Service = () => ({ data: null, errors: [{ message: 'nothing' }] });
  const services = new Map([...sdls.keys()].map((name) => [name, nothing]));
  const engine = await openProductEngine({ subgraphs: [...sdls].map(([name, sdl]) => ({ name, sdl })) }, services);
  // The first operation opens what all others use.
  await engine.run('{ __typename }');
  return engine;
}

async function tryCase(index: number, { text, variables }: HostileCase, engine: Engine): Promise<Outcome> {
  const { result, blockMs, cpuMs } = await watchEventLoop(() => engine.run(text, variables));
  const { data, errors = [], calls, steps } = result;
  const [error] = errors as readonly { readonly extensions?: { readonly code?: string } }[];
  const cost = { steps, blockMs, cpuMs, calls: calls.length };
  if (data === undefined) return { index, outcome: 'refused', code: error?.extensions?.code, ...cost };
  return { index, outcome: 'planned', ...cost };
}

/** Runs something, and measures how long the event loop stood still meanwhile. */
async function watchEventLoop<T>(run: () => Promise<T>): Promise<{ result: T; blockMs: number; cpuMs: number }> {
  let isOver = false;
  let blockMs = 0;
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    blockMs = Math.max(blockMs, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  await new Promise(setImmediate);
  const before = process.cpuUsage();
  last = performance.now();
  setImmediate(turn);
  const result = await run();
  isOver = true;
  turn();
  const { user, system } = process.cpuUsage(before);
  return { result, blockMs, cpuMs: (user + system) / 1000 };
}
