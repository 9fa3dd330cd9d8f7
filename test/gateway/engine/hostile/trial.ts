import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { type DocumentNode, type ExecutionResult, graphql, parse } from 'graphql';
import { compileVariant, type GraphScope } from '../../../../gateway/planning/joins/execute/prepared-join.ts';
import {
  FederatedGraph,
  subgraphServices,
  UnplannableOperation,
  warmUpPlanner,
} from '../../../../gateway/planning/joins/index.ts';
import { readClientOperation, ServiceObjects } from '../../../../gateway/planning/joins/plan/index.ts';
import type { Sliced } from '../../../../platform/index.ts';
import type { Service } from '../in-process-services.ts';
import { plannedSteps } from '../planned-steps.ts';
import { type Engine, NotAnswered, NotComposed, openProductEngine, type Variables } from '../product-engine.ts';
import { openStrictServices, sdlsOf } from '../strict-services.ts';
import { HOSTILE_CASES, type HostileCase } from './cases.ts';
import { isTooLong } from './hostile-case.ts';
import { slicedWork } from './planning-work.ts';

/** What became of one operation. */
export interface Outcome {
  readonly index: number;
  readonly outcome:
    | 'planned'
    | 'refused'
    | 'not parsed'
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
  /** How often functions and loops of planning ran, and how often in the longest of its slices. */
  readonly work?: number;
  readonly inSlice?: number;
  /** The longest time for which planning blocked the event loop, in milliseconds. */
  readonly blockMs?: number;
  /** The same without the time in which the thread waited for a processor, to some milliseconds; Linux alone tells it. */
  readonly ranMs?: number;
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
  if (isTimed && isTooLong(text)) return { index, outcome: 'not parsed' };
  const cost = isTimed ? await timeOf(engine, text, variables) : await workOf(engine, text, variables);
  const { data, errors = [], calls: made } = await engine.run(text, variables);
  const [error] = errors as readonly { readonly extensions?: { readonly code?: string } }[];
  const calls = made.length;
  if (data === undefined) return { index, outcome: 'refused', code: error?.extensions?.code, calls, ...cost };
  const expected = await truth?.(text);
  if (expected && (rejections.length > 0 || JSON.stringify(data) !== JSON.stringify(expected.data)))
    return { index, outcome: 'wrong answer', code: JSON.stringify({ data, expected, rejections }), ...cost };
  return { index, outcome: 'planned', calls, ...cost };
}

/** The time of planning and compiling alone: the document is parsed before, and nothing is fetched. */
async function timeOf({ types, schema }: Engine, text: string, variables: Variables = {}) {
  const graph = new FederatedGraph<undefined>({ types, publicSchema: schema, services: NO_SERVICES });
  const document = parse(text, { noLocation: true });
  await graph.prepare('{ __typename }').plan({});
  return await watchEventLoop(async () => {
    try {
      await graph.prepare(document).plan(variables);
    } catch (error) {
      if (!(error instanceof UnplannableOperation)) throw error;
    }
  });
}

/** The work of planning and compiling alone. */
async function workOf({ types, schema }: Engine, text: string, variables: Variables = {}) {
  const { steps } = plannedSteps(text, types, variables);
  const scope = { types, objects: new ServiceObjects(types), publicSchema: schema, services: NO_SERVICES };
  const document = parse(text, { noLocation: true });
  return { steps, ...(await slicedWork(() => planned(document, variables, scope))) };
}

function* planned(document: DocumentNode, variables: Variables, scope: GraphScope<undefined>): Sliced<unknown> {
  const operation = readClientOperation(document, undefined);
  const conditions = new Map(operation.conditions.map(({ name }) => [name, variables[name] === true]));
  return yield* compileVariant(operation, operation, conditions, scope);
}

const NO_SERVICES = subgraphServices<undefined>(() => {});

/** Runs something, and measures how long the event loop stood still meanwhile. */
async function watchEventLoop(run: () => Promise<void>): Promise<Pick<Outcome, 'blockMs' | 'ranMs' | 'cpuMs'>> {
  let isOver = false;
  let [blockMs, ranMs] = [0, 0];
  let ran = threadTime();
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    blockMs = Math.max(blockMs, now - last);
    last = now;
    const nowRan = threadTime();
    ranMs = Math.max(ranMs, nowRan - ran);
    ran = nowRan;
    if (!isOver) setImmediate(turn);
  };
  await new Promise(setImmediate);
  const before = process.cpuUsage();
  last = performance.now();
  ran = threadTime();
  setImmediate(turn);
  await run();
  isOver = true;
  turn();
  const { user, system } = process.cpuUsage(before);
  return { blockMs, ranMs, cpuMs: (user + system) / 1000 };
}

/** How long this thread has run, in milliseconds. */
function threadTime(): number {
  return process.platform === 'linux'
    ? Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
    : 0;
}
