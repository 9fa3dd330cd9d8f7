import {
  type ExecutionResult,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import type { Fragments, Variables } from '../../graphql/syntax/index.ts';
import type { CompiledOperation, OperationAnswer, OperationContext, OperationDocument } from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { rootFieldsAtRun, subOperation } from '../document/index.ts';
import { dataMembers, resultIn } from '../response/index.ts';
import type { Plan, PlanPart } from './operation-plan.ts';
import { type Owner, ownerOf } from './owners.ts';
import { partOf } from './plan-parts.ts';
import { ownerPlan } from './source-plan.ts';

/**
 * Lets each owner resolve its own root fields, concurrently in queries and in document order in mutations. Returns
 * undefined if a part has to be planned over the whole graph.
 */
export function splitPlan({ operation }: OperationDocument, fragments: Fragments, graph: RoleGraph): Plan | undefined {
  const { fields, isRepeated, isSpreadTwice, isConditional } = writtenAtRoot(operation, fragments);
  const isMutation = operation.operation === 'mutation';
  // In this case the order of the mutation's fields depends on the variables.
  if (isMutation && (isRepeated || isSpreadTwice)) return undefined;
  // The fragment would be repeated under each of its conditions, and the fragments that it spreads once for every
  // combination of conditions.
  if (isSpreadTwice && isConditional) return undefined;

  const runs = runsOf(fields, operation, graph);
  const owners = new Set(runs.map(({ owner }) => owner));
  const groups = isMutation
    ? runs
    : [...owners].map((owner) => ({
        owner,
        keys: new Set(runs.flatMap((run) => (run.owner === owner ? [...run.keys] : []))),
      }));
  const parts: CompiledOperation[] = [];
  const described: PlanPart[] = [];
  for (const group of groups) {
    const part = subOperation(operation, fragments, (field) => group.keys.has(responseKeyOf(field)));
    const plan = group.owner && ownerPlan(group.owner, part, graph);
    if (!group.owner || !plan) return undefined;
    parts.push(plan);
    described.push(partOf(group.owner, part, plan, isMutation ? parts.length : 1));
  }
  // If no owner occurs twice, the parts are already in the right order.
  const inOrder = isMutation || owners.size === runs.length;
  const orderOf = (variables: Variables) =>
    inOrder ? undefined : [...rootFieldsAtRun(operation, fragments, variables).keys()];
  const keys = groups.map((group) => group.keys);
  return {
    kind: 'split',
    parts: described,
    run: (variables, context, done) => {
      const finish = (answers: readonly OperationAnswer[]) => done(joinedAnswer(answers, keys, orderOf(variables)));
      if (isMutation) runInTurn(parts, variables, context, finish);
      else runAtOnce(parts, variables, context, finish);
    },
  };
}

interface FieldRun {
  readonly owner: Owner | undefined;
  readonly keys: Set<string>;
}

/** Adjacent root fields with the same owner. */
function runsOf(
  fields: readonly FieldNode[],
  operation: OperationDefinitionNode,
  graph: RoleGraph,
): readonly FieldRun[] {
  const runs: FieldRun[] = [];
  for (const field of fields) {
    const owner = ownerOf(operation, field.name.value, graph);
    const last = runs.at(-1);
    if (last && last.owner === owner) last.keys.add(responseKeyOf(field));
    else runs.push({ owner, keys: new Set([responseKeyOf(field)]) });
  }
  return runs;
}

interface Written {
  readonly fields: readonly FieldNode[];
  /** Whether a response key occurs more than once. */
  readonly isRepeated: boolean;
  /** Whether a fragment is spread more than once. */
  readonly isSpreadTwice: boolean;
  /** Whether fragments at the root have directives. */
  readonly isConditional: boolean;
}

/** The root fields as written. Each fragment is visited once, however often it is spread. */
function writtenAtRoot({ selectionSet }: OperationDefinitionNode, fragments: Fragments): Written {
  const fields: FieldNode[] = [];
  const spread = new Set<string>();
  let isSpreadTwice = false;
  let isConditional = false;
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        fields.push(selection);
        continue;
      }
      isConditional ||= (selection.directives ?? []).length > 0;
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (spread.has(selection.name.value)) isSpreadTwice = true;
      else {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return { fields, isRepeated: new Set(fields.map(responseKeyOf)).size < fields.length, isSpreadTwice, isConditional };
}

function responseKeyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

type Finish = (answers: readonly OperationAnswer[]) => void;

function runAtOnce(
  parts: readonly CompiledOperation[],
  variables: Variables,
  context: OperationContext,
  finish: Finish,
): void {
  const answers: OperationAnswer[] = [];
  let awaited = parts.length;
  parts.forEach((part, index) => {
    part.run(variables, context, (answer) => {
      answers[index] = answer;
      awaited -= 1;
      if (awaited === 0) finish(answers);
    });
  });
}

/** Runs parts in order. After null in a non-null root field, later fields are not executed (GraphQL section 6.2.2). */
function runInTurn(
  parts: readonly CompiledOperation[],
  variables: Variables,
  context: OperationContext,
  finish: Finish,
): void {
  const answers: OperationAnswer[] = [];
  const runNext = (): void => {
    const part = parts[answers.length];
    if (!part) {
      finish(answers);
      return;
    }
    part.run(variables, context, (answer) => {
      answers.push(answer);
      if (!(answer instanceof PassthroughBody) && !answer.data) finish(answers);
      else runNext();
    });
  };
  runNext();
}

const QUOTE_TEXT = '"';
const SEPARATOR = Buffer.from(',');
const BEFORE = Buffer.from('{"data":{');
const AFTER = Buffer.from('}}');

/** The response keys of one part. Other keys in a service's response are ignored. */
type ResponseKeys = ReadonlySet<string>;

/**
 * Joins the results of an operation's parts.
 *
 * @param keys the response keys of each part.
 * @param order the response keys in order. Undefined if the results are already in order.
 */
function joinedAnswer(
  answers: readonly OperationAnswer[],
  keys: readonly ResponseKeys[],
  order: readonly string[] | undefined,
): OperationAnswer {
  return (order ? undefined : joinedBytes(answers, keys)) ?? joinedResult(answers, keys, order);
}

/** Joins results without parsing if all are bytes that contain only data. */
function joinedBytes(answers: readonly OperationAnswer[], keys: readonly ResponseKeys[]): PassthroughBody | undefined {
  const chunks: Buffer[] = [];
  for (const [index, answer] of answers.entries()) {
    const members = answer instanceof PassthroughBody ? dataMembers(answer.toBuffer(), keys[index]) : undefined;
    if (!members) return undefined;
    if (!isBlank(members)) chunks.push(chunks.length === 0 ? BEFORE : SEPARATOR, members);
  }
  return chunks.length === 0 ? undefined : new PassthroughBody([Buffer.concat([...chunks, AFTER])]);
}

/** Whether there are no members. Each member would have a quoted name. */
function isBlank(members: Buffer): boolean {
  return !members.includes(QUOTE_TEXT);
}

function joinedResult(
  answers: readonly OperationAnswer[],
  keys: readonly ResponseKeys[],
  order: readonly string[] | undefined,
): ExecutionResult {
  const results = answers.map(resultIn);
  const errors = results.flatMap((result) => result.errors ?? []);
  const errorsMember = errors.length > 0 && { errors };
  if (results.some(({ data }) => !data)) return { data: null, ...errorsMember };
  const members = new Map(
    results.flatMap(({ data }, index) => Object.entries(data ?? {}).filter(([key]) => keys[index]?.has(key))),
  );
  const ordered = order ?? [...members.keys()];
  return {
    data: Object.fromEntries(ordered.filter((key) => members.has(key)).map((key) => [key, members.get(key)])),
    ...errorsMember,
  };
}
