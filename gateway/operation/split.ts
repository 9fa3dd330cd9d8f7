import { type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import {
  type Call,
  isRelayed,
  type OperationAnswer,
  type OperationToPrepare,
  type PreparedOperation,
} from '../sources/index.ts';
import { type Owner, ownerOf } from './owners.ts';
import type { Plan } from './plan.ts';
import { rootFieldsAtRun } from './root-fields.ts';
import { ownerPlan } from './source-plan.ts';
import { joinedAnswer } from './split-answer.ts';
import { type Fragments, subOperation } from './sub-operation.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Lets each owner answer its own root fields: those of queries at the same time, those of mutations in the order of the
 * document. Undefined where one of them has to be stitched.
 */
export function splitPlan({ operation }: OperationToPrepare, fragments: Fragments, graph: RoleGraph): Plan | undefined {
  const { fields, isRepeated, isSpreadTwice, isConditional } = writtenAtRoot(operation, fragments);
  const isMutation = operation.operation === 'mutation';
  // What comes first then depends on the variables.
  if (isMutation && (isRepeated || isSpreadTwice)) return undefined;
  // A fragment would be written out under each of its conditions, and what it spreads as often as all of these together.
  if (isSpreadTwice && isConditional) return undefined;

  const runs = runsOf(fields, operation, graph);
  const owners = new Set(runs.map(({ owner }) => owner));
  const groups = isMutation
    ? runs
    : [...owners].map((owner) => ({
        owner,
        keys: new Set(runs.flatMap((run) => (run.owner === owner ? [...run.keys] : []))),
      }));
  const parts: PreparedOperation[] = [];
  for (const group of groups) {
    const part = subOperation(operation, fragments, (field) => group.keys.has(keyOf(field)));
    const plan = group.owner && ownerPlan(group.owner, part, graph);
    if (!plan) return undefined;
    parts.push(plan);
  }
  // Where no owner comes twice, what they answer stands in the right order as it is.
  const inOrder = isMutation || owners.size === runs.length;
  const orderOf = (variables: Variables) =>
    inOrder ? undefined : [...rootFieldsAtRun(operation, fragments, variables).keys()];
  return {
    kind: 'split',
    run: (variables, call, done) => {
      const finish = (answers: readonly OperationAnswer[]) => done(joinedAnswer(answers, orderOf(variables)));
      if (isMutation) runInTurn(parts, variables, call, finish);
      else runAtOnce(parts, variables, call, finish);
    },
  };
}

interface Run {
  readonly owner: Owner | undefined;
  readonly keys: Set<string>;
}

/** Root fields that stand next to each other and have the same owner. */
function runsOf(fields: readonly FieldNode[], operation: OperationDefinitionNode, graph: RoleGraph): readonly Run[] {
  const runs: Run[] = [];
  for (const field of fields) {
    const owner = ownerOf(operation, field.name.value, graph);
    const last = runs.at(-1);
    if (last && last.owner === owner) last.keys.add(keyOf(field));
    else runs.push({ owner, keys: new Set([keyOf(field)]) });
  }
  return runs;
}

interface Written {
  readonly fields: readonly FieldNode[];
  /** Whether a response key stands there more than once. */
  readonly isRepeated: boolean;
  /** Whether a fragment does. */
  readonly isSpreadTwice: boolean;
  /** Whether fragments have directives there. */
  readonly isConditional: boolean;
}

/** The root fields as they are written. Each fragment is gone through once, however often others spread it. */
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
  return { fields, isRepeated: new Set(fields.map(keyOf)).size < fields.length, isSpreadTwice, isConditional };
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

type Finish = (answers: readonly OperationAnswer[]) => void;

function runAtOnce(parts: readonly PreparedOperation[], variables: Variables, call: Call, finish: Finish): void {
  const answers: OperationAnswer[] = [];
  let awaited = parts.length;
  parts.forEach((part, index) => {
    part.run(variables, call, (answer) => {
      answers[index] = answer;
      awaited -= 1;
      if (awaited === 0) finish(answers);
    });
  });
}

/** What would follow a field that must not be null and is, is not run (GraphQL section 6.2.2). */
function runInTurn(parts: readonly PreparedOperation[], variables: Variables, call: Call, finish: Finish): void {
  const answers: OperationAnswer[] = [];
  const runNext = (): void => {
    const part = parts[answers.length];
    if (!part) {
      finish(answers);
      return;
    }
    part.run(variables, call, (answer) => {
      answers.push(answer);
      if (!isRelayed(answer) && !answer.data) finish(answers);
      else runNext();
    });
  };
  runNext();
}
