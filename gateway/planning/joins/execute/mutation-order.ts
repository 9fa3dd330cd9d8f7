import type { FieldNode } from 'graphql';
import type { Sliced } from '../../../../platform/index.ts';
import { type OperationPlan, responseKey } from '../plan/index.ts';
import { completeValues, type ObjectShape, writeResponse } from '../response/index.ts';
import type { FetchStep } from './run.ts';

/** Root fields of a mutation that run together, and their plan. */
export interface MutationPart {
  readonly fields: readonly FieldNode[];
  readonly plan: OperationPlan;
}

/**
 * Plans a mutation, so that each field is finished, including its joins, before the next one starts (GraphQL 6.2.2).
 * Adjacent fields of the same service are sent in one request, since the service keeps their order.
 *
 * @param takesSeveral whether a service accepts several fields in one request
 * @returns the parts, to be run one after another
 */
export function* planMutation(
  fields: readonly FieldNode[],
  plan: (fields: readonly FieldNode[]) => Sliced<OperationPlan>,
  takesSeveral: (service: string) => boolean,
): Sliced<readonly MutationPart[]> {
  const groups: {
    readonly fields: FieldNode[];
    readonly service: string | undefined;
    readonly alone: OperationPlan;
  }[] = [];
  for (const own of byResponseKey(fields)) {
    const alone = yield* plan(own);
    const [first, ...joins] = alone.waves;
    const service = first?.length === 1 ? first[0]?.service : undefined;
    const last = groups.at(-1);
    const isTogether = service !== undefined && last?.service === service && takesSeveral(service);
    if (last && isTogether) last.fields.push(...own);
    else groups.push({ fields: [...own], service, alone });
    // Only the last field of a group may need joins. Joins of an earlier field would have to finish before the next
    // field.
    const group = groups.at(-1);
    if (group && joins.length > 0) groups[groups.length - 1] = { ...group, service: undefined };
  }
  const parts: MutationPart[] = [];
  for (const { fields: own, alone } of groups)
    parts.push({ fields: own, plan: byResponseKey(own).length > 1 ? yield* plan(own) : alone });
  return parts;
}

/** Runs parts one after another, until a propagated null in one of them makes the whole response null. */
export function inTurn<Context>(
  parts: readonly { readonly step: FetchStep<Context>; readonly keys: ReadonlySet<string> }[],
  shape: ObjectShape,
): FetchStep<Context> {
  const steps = parts.map(({ step, keys }) => {
    const own = { ...shape, fields: shape.fields.filter(({ from }) => keys.has(from)) };
    return { step, own };
  });
  return (run, done) => {
    const begin = (index: number) => {
      const next = steps[index];
      if (!next) {
        done();
        return;
      }
      next.step(run, () => {
        const { own } = next;
        const isLost =
          writeResponse(own, run.data) === undefined && completeValues(own, run.data, [], []).text === 'null';
        begin(isLost ? steps.length : index + 1);
      });
    };
    begin(0);
  };
}

/**
 * Groups fields by response key. A field that is selected several times under one key is executed once (GraphQL 6.3.2).
 */
function byResponseKey(fields: readonly FieldNode[]): readonly (readonly FieldNode[])[] {
  const byKey = new Map<string, FieldNode[]>();
  for (const field of fields) byKey.set(responseKey(field), [...(byKey.get(responseKey(field)) ?? []), field]);
  return [...byKey.values()];
}
