import { type FieldNode, parse } from 'graphql';
import { atOnce, type Sliced } from '../../../../platform/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { unreachableField } from '../errors.ts';
import { type ClientOperation, type Conditions, readClientOperation, rootFieldsOf } from './client-operation.ts';
import { type Fetch, fetchesOf } from './fetches.ts';
import { PlacePlanner } from './place-planner.ts';
import { RequestSelections } from './request-selections.ts';
import { scheduleFetches } from './schedule.ts';
import { type Selections, SelectionsFactory, type WantedField } from './selections.ts';
import type { ServiceObjects } from './service-objects.ts';
import { Steps } from './steps.ts';

/** The maximum number of steps for planning one operation. Typical operations take a few hundred. */
export const MOST_STEPS = 5_500;

/** The number of steps of each plan, however small. */
const STEPS_OF_PLAN = 20;
/**
 * The number of steps of each root field besides finding its services: for reading it and for writing its value in
 * responses.
 */
const STEPS_OF_ROOT_FIELD = 2;

/** The fetches of an operation in waves. The fetches of a wave wait for all earlier waves. */
export interface OperationPlan {
  readonly waves: readonly (readonly Fetch[])[];
}

/** Plans the root fields of one operation under given conditions. Parts that several plans share are planned once. */
export class OperationPlanner {
  readonly #operation: ClientOperation;
  readonly #types: SupergraphTypes;
  readonly #steps = new Steps(MOST_STEPS);
  readonly #selections: SelectionsFactory;
  readonly #places: PlacePlanner;
  readonly #written: RequestSelections;

  constructor(operation: ClientOperation, conditions: Conditions, objects: ServiceObjects) {
    const { types } = objects;
    const { fragments, responseKey, ownKey } = operation;
    const steps = this.#steps;
    this.#operation = operation;
    this.#types = types;
    this.#selections = new SelectionsFactory({ types, fragments, conditions, responseKey, ownKey, steps });
    this.#places = new PlacePlanner({ types, objects, selections: this.#selections, steps });
    this.#written = new RequestSelections(types, steps);
  }

  /** The steps of planning the operation. */
  get steps(): Steps {
    return this.#steps;
  }

  /**
   * Plans root fields, so that each object is fetched in as few waves as possible, and these contain as few calls as
   * possible.
   *
   * @param fields root fields with fragments inlined
   * @throws OperationTooComplex if the operation exceeds the maximum number of steps; UnplannableOperation if no
   *   service has a field
   */
  *plan(fields: readonly FieldNode[]): Sliced<OperationPlan> {
    const steps = this.#steps;
    steps.take(STEPS_OF_PLAN + STEPS_OF_ROOT_FIELD * fields.length);
    if (steps.endSlice()) yield;
    yield* this.#selections.read(fields);
    const kind = this.#operation.definition.operation;
    const root = this.#types.rootType(kind);
    const wanted = rootSelections(root, fields, this.#operation, this.#selections, this.#types);
    const plan = yield* this.#places.planRoot(wanted, root);
    const [missing] = plan.leftover?.fieldsOf(root) ?? [];
    if (missing) throw unreachableField(pathOf(missing, root, this.#types));
    const fetches = yield* fetchesOf(plan, kind, this.#written, steps);
    const waves = yield* scheduleFetches(fetches, steps);
    return { waves };
  }
}

/**
 * The services that an operation without conditions calls. A service is listed once for each call.
 *
 * @param text a document with one operation
 * @throws the errors of `OperationPlanner`
 */
export function plannedServices(text: string, objects: ServiceObjects): readonly string[] {
  const operation = readClientOperation(parse(text, { noLocation: true }), undefined);
  const planner = new OperationPlanner(operation, new Map(), objects);
  const { waves } = atOnce(planner.plan(rootFieldsOf(operation, new Map())));
  return waves.flatMap((wave) => [...new Set(wave.map(({ service }) => service))]);
}

function rootSelections(
  root: string,
  fields: readonly FieldNode[],
  { responseKey }: ClientOperation,
  selections: SelectionsFactory,
  types: SupergraphTypes,
): Selections {
  const byKey = new Map<string, FieldNode[]>();
  for (const field of fields) {
    const key = responseKey(field);
    const known = byKey.get(key);
    if (known) known.push(field);
    else byKey.set(key, [field]);
  }
  const wanted = [...byKey].flatMap(([key, nodes]): WantedField[] => {
    const [node] = nodes;
    if (!node) return [];
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return [
      {
        key,
        name: node.name.value,
        arguments: node.arguments ?? [],
        call: selections.callOf(node),
        below: below.length > 0 ? selections.ofClient(below) : undefined,
        directives: types.directivesOf(node),
        isOwn: false,
      },
    ];
  });
  return selections.ofFields(new Map([[root, wanted]]));
}

/** The path of the first unreachable field, such as `Query.items.price`. */
function pathOf(field: WantedField, type: string, types: SupergraphTypes): string {
  const names = [type, field.name];
  let current: WantedField = field;
  let parent = type;
  while (current.below) {
    const own = types.type(parent)?.fieldTypeName(current.name) ?? '';
    const objects = types.objectsOf(own);
    const possible = objects.length > 0 ? objects : [own];
    const found = possible.flatMap((one) => current.below?.fieldsOf(one)[0] ?? [])[0];
    const holder = possible.find((one) => current.below?.fieldsOf(one)[0] === found);
    if (!found || holder === undefined) break;
    names.push(found.name);
    current = found;
    parent = holder;
  }
  return names.join('.');
}
