import { performance } from 'node:perf_hooks';
import { type ExecutionResult, graphql } from 'graphql';
import { warmUpPlanner } from '../../../../gateway/federation/index.ts';
import type { Service } from '../in-process-services.ts';
import { plannedSteps } from '../planned-steps.ts';
import { type Engine, NotAnswered, NotComposed, openProductEngine } from '../product-engine.ts';
import { openStrictServices, sdlsOf } from '../strict-services.ts';
import { HOSTILE_CASES, type HostileCase } from './cases.ts';
import { planningWork } from './planning-work.ts';

/** What became of one operation. */
export interface Outcome {
  readonly index: number;
  readonly outcome:
    | 'planned'
    | 'refused'
    | 'not composed'
    | 'never answered'
    | 'failed'
    | 'wrong answer'
    | 'never returned'
    | 'ended the process';
  /** Of the error that refuses it, or of the failure. */
  readonly code?: string | undefined;
  /** Those that planning took, or has asked for when it was refused. */
  readonly steps?: number;
  /** How often functions and loops of planning ran. */
  readonly work?: number;
  /** The longest time that the event loop stood still, in milliseconds. */
  readonly blockMs?: number;
  /** The processor time of planning, all threads, in milliseconds. */
  readonly cpuMs?: number;
  /** How many calls the first wave makes. */
  readonly calls?: number;
}

/** The graph of one case or several. */
interface Opened {
  readonly subgraphs: HostileCase['subgraphs'];
  readonly engine: Engine;
  readonly truth: ((text: string) => Promise<ExecutionResult>) | undefined;
  readonly rejections: string[];
}

/**
 * Tries cases one after the other. Those of the same subgraphs share an engine.
 *
 * @param isTimed measures time alone, in a process whose planner is warmed up as a gateway's is: counting what runs slows it down
 */
export function openTrial(isTimed: boolean): (index: number) => Promise<Outcome> {
  let opened: Opened | undefined;
  let warm = isTimed ? warmUpPlanner() : undefined;
  return async (index) => {
    const hostile = HOSTILE_CASES[index];
    if (!hostile) throw new RangeError(`no case ${index}`);
    await warm;
    warm = undefined;
    try {
      if (opened?.subgraphs !== hostile.subgraphs) {
        opened?.engine.close();
        opened = await openOver(hostile);
      }
      return await tryCase(index, hostile, opened, isTimed);
    } catch (error) {
      if (error instanceof NotComposed) return { index, outcome: 'not composed', code: error.message };
      if (error instanceof NotAnswered) return { index, outcome: 'never answered' };
      return { index, outcome: 'failed', code: String(error) };
    }
  };
}

/** Without data its services give nothing, so that planning is all that takes long. */
async function openOver(hostile: HostileCase): Promise<Opened> {
  const { subgraphs, data } = hostile;
  const sdls = sdlsOf(hostile);
  const strict = data && openStrictServices({ subgraphs, ...data });
  const nothing: Service = () => ({ data: null, errors: [{ message: 'nothing' }] });
  const services = strict?.services ?? new Map([...sdls.keys()].map((name) => [name, nothing]));
  const engine = await openProductEngine({ subgraphs: [...sdls].map(([name, sdl]) => ({ name, sdl })) }, services);
  // The first operation opens what all others use.
  await engine.run('{ __typename }');
  const whole = strict?.wholeSchema(engine.schema);
  const truth = whole && ((text: string) => graphql({ schema: whole, source: text }));
  return { subgraphs, engine, truth, rejections: strict?.rejections ?? [] };
}

async function tryCase(
  index: number,
  { text, variables }: HostileCase,
  { engine, truth, rejections }: Opened,
  isTimed: boolean,
): Promise<Outcome> {
  rejections.length = 0;
  const { result, blockMs, cpuMs } = await watchEventLoop(() => engine.run(text, variables));
  const { data, errors = [], calls } = result;
  const [error] = errors as readonly { readonly extensions?: { readonly code?: string } }[];
  const counted = isTimed
    ? {}
    : {
        steps: plannedSteps(text, engine.types, variables).steps,
        work: await planningWork(async () => (await engine.prepare(text)).describe(variables ?? {})),
      };
  const cost = { ...counted, blockMs, cpuMs, calls: calls.length };
  if (data === undefined) return { index, outcome: 'refused', code: error?.extensions?.code, ...cost };
  const expected = await truth?.(text);
  if (expected && (rejections.length > 0 || JSON.stringify(data) !== JSON.stringify(expected.data)))
    return { index, outcome: 'wrong answer', code: JSON.stringify({ data, expected, rejections }), ...cost };
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
