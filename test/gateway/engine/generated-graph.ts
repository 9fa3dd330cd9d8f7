import fc from 'fast-check';
import { parse, validate, validateSchema } from 'graphql';
import { unsatisfiableFields } from '../../../gateway/planning/composition/satisfiability.ts';
import { type GeneratedOperation, operations } from '../generated/operations.ts';
import { ReferenceSchema } from '../generated/same-answer.ts';
import { generateModel } from '../generated/supergraphs/generate-model.ts';
import type { GraphModel } from '../generated/supergraphs/graph-model.ts';
import { type ModelServices, openModelServices } from '../generated/supergraphs/model-services.ts';
import { Random } from '../generated/supergraphs/random.ts';
import { composeElsewhere } from './compose-elsewhere.ts';
import type { Service } from './in-process-services.ts';
import { isDown, type Outage, withOutage } from './outage.ts';
import { type Engine, type EngineGraph, NotComposed, type OpenEngine } from './product-engine.ts';

/** A generated graph with an engine over it, and what its answers are compared with. */
export interface OpenedGraph {
  readonly seed: number;
  readonly engine: Engine;
  readonly services: ModelServices;
  readonly reference: ReferenceSchema;
  /** Which service fails, and how. */
  outage: Outage | undefined;
}

const LABELS = [new Set<string>(), new Set(['next']), new Set(['percent(50)'])];

const VALUES = {
  n: [0, 1, 7, null],
  k: [0, 5],
  m: [1, 2, null],
  s: ['', 'x', 'é"\\', null],
  l: [[1, 2], [], null],
  i: [{ a: 1 }, {}, { level: 'LOW', more: [{ a: null }, { text: 't' }] }, null],
  p: ['FAST', 'SLOW', null],
  Boolean: [true, false],
};

/** The code of a graph that composes, and that the engine does not take all the same. */
export const NOT_OPENED = 'NOT_OPENED';

/** The model of a seed, and the labels of overrides that are active in it. */
export function modelOf(seed: number): { readonly model: GraphModel; readonly active: ReadonlySet<string> } {
  const random = new Random(seed);
  const model = generateModel(random, 'wide');
  return { model, active: random.oneOf(LABELS) };
}

/**
 * Composes the subgraphs of a model, and opens an engine over them.
 * @returns why there is none, with a code: of composition, or `NOT_OPENED`
 */
export async function openGraph(
  seed: number,
  { model, active }: ReturnType<typeof modelOf>,
  openEngine: OpenEngine,
): Promise<OpenedGraph | string> {
  const services = openModelServices(model, active);
  const opened: { outage: Outage | undefined } = { outage: undefined };
  const answering = new Map(
    model.graphs.map((name): [string, Service] => [
      name,
      (request) => {
        const answer = () => services.answer(name, request.query, request.variables);
        return isDown(opened.outage, name) ? withOutage(opened.outage, request, answer) : answer();
      },
    ]),
  );
  const open = async () => openEngine(graphOf(seed, services.sdls), answering, { labels: active });
  const engine = await open().catch((error: unknown) => {
    if (error instanceof NotComposed) return error.message;
    return `${NOT_OPENED}: ${error instanceof Error ? error.message : String(error)}`;
  });
  if (typeof engine === 'string') return engine;
  const [invalid] = validateSchema(engine.schema);
  if (invalid) return `INVALID_SCHEMA: ${invalid.message}`;
  const reference = new ReferenceSchema(services.wholeSchema(engine.schema));
  return Object.assign(opened, { seed, engine, services, reference });
}

/** Every third graph is a supergraph that was made elsewhere. */
function graphOf(seed: number, sdls: ReadonlyMap<string, string>): EngineGraph {
  if (seed % 3 === 0) {
    const supergraphSdl = composeElsewhere(sdls);
    // The other composer lets graphs pass that have fields which no service can be asked for.
    const [unreachable] = unsatisfiableFields(parse(supergraphSdl));
    if (unreachable) throw new NotComposed([{ code: 'SATISFIABILITY_ERROR', message: unreachable.message }]);
    return { supergraphSdl };
  }
  return { subgraphs: [...sdls].map(([name, sdl]) => ({ name, sdl })) };
}

/** So many operations of each kind, always the same for a graph. */
export function operationsOf({ seed, reference: { schema } }: OpenedGraph, count: number): GeneratedOperation[] {
  const kinds = schema.getMutationType() ? (['query', 'query', 'mutation'] as const) : (['query'] as const);
  const each = kinds.map((kind, at) =>
    fc.sample(operations({ schema, values: VALUES, kind, hasDefaults: true }), { numRuns: count, seed: seed + at }),
  );
  return Array.from({ length: count }, (_, at) => each[at % each.length]?.[at])
    .filter((one) => one !== undefined)
    .filter(({ text }) => validate(schema, parse(text)).length === 0);
}
