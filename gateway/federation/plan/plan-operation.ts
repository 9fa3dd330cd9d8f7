import { type FieldNode, parse } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { unreachableField } from '../errors.ts';
import { type ClientOperation, type Conditions, readClientOperation, rootFieldsOf } from './client-operation.ts';
import { type Fetch, fetchesOf } from './fetches.ts';
import { PlacePlanner } from './place-planner.ts';
import { scheduleFetches } from './schedule.ts';
import { type Selections, SelectionsFactory, type WantedField } from './selections.ts';
import { Steps } from './steps.ts';

/** The most steps of planning one operation, which take some 20 ms. Operations that people write take some hundred. */
const MOST_STEPS = 16_000;

/** What each plan takes, however small. */
const STEPS_OF_PLAN = 20;

/** What is fetched for an operation, in waves: the fetches of one wave wait for all that come before. */
export interface OperationPlan {
  readonly waves: readonly (readonly Fetch[])[];
}

/** The steps that planning one operation may take. */
export function planningSteps(): Steps {
  return new Steps(MOST_STEPS);
}

/**
 * Plans root fields of an operation, so that each object comes in the fewest waves, and these are the fewest calls.
 *
 * @param fields root fields, fragments inlined
 * @param steps those that are left for the operation
 * @throws OperationTooComplex beyond the most steps; UnplannableOperation where no service has a field
 */
export function planFields(
  operation: ClientOperation,
  fields: readonly FieldNode[],
  conditions: Conditions,
  types: SupergraphTypes,
  steps: Steps,
): OperationPlan {
  steps.take(STEPS_OF_PLAN);
  const { fragments, responseKey, ownKey } = operation;
  const selections = new SelectionsFactory({ types, fragments, conditions, responseKey, ownKey, steps });
  const kind = operation.definition.operation;
  const root = types.rootType(kind);
  const wanted = rootSelections(root, fields, operation, selections, types);
  const planner = new PlacePlanner({ types, services: types.services, selections, steps });
  const plan = planner.planRoot(wanted, root);
  const [missing] = plan.leftover?.fieldsOf(root) ?? [];
  if (missing) throw unreachableField(pathOf(missing, root, types));
  const waves = scheduleFetches(fetchesOf(plan, kind, types, steps));
  return { waves };
}

/**
 * The services that an operation without conditions calls, each as often as it is called.
 *
 * @param text a document with one operation
 * @throws as `planFields` does
 */
export function plannedServices(text: string, types: SupergraphTypes): readonly string[] {
  const operation = readClientOperation(parse(text, { noLocation: true }), undefined);
  const { waves } = planFields(operation, rootFieldsOf(operation, new Map()), new Map(), types, planningSteps());
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
  for (const field of fields) byKey.set(responseKey(field), [...(byKey.get(responseKey(field)) ?? []), field]);
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

/** The first field that cannot be reached, as `Query.items.price`. */
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
