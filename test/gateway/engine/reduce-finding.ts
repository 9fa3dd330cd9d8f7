import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  validate,
  visit,
} from 'graphql';
import type { GeneratedOperation } from '../generated/operations.ts';
import { subgraphSdls } from '../generated/supergraphs/model-sdl.ts';
import { reduceModel } from '../generated/supergraphs/reduce-model.ts';
import { checkOperation, type Finding } from './check-graph.ts';
import { modelOf, openGraph } from './generated-graph.ts';
import type { OpenEngine } from './product-engine.ts';

/** Shows a finding over as few subgraphs, fields and selections as possible. */
export async function describeReduced(finding: Finding, openEngine: OpenEngine): Promise<string> {
  const { seed, kind } = finding;
  let { operation } = finding;
  const described = modelOf(seed);
  const problemOf = async (one: GeneratedOperation) => {
    const graph = await openGraph(seed, described, openEngine);
    if (typeof graph === 'string' || validate(graph.reference.schema, parse(one.text)).length > 0) return undefined;
    const found = await checkOperation(graph, one);
    graph.engine.close();
    return 'kind' in found && found.kind === kind ? found : undefined;
  };
  const fails = async (one: GeneratedOperation) => (await problemOf(one)) !== undefined;
  operation = await reduceOperation(operation, fails);
  await reduceModel(described.model, () => fails(operation));
  operation = await reduceOperation(operation, fails);
  const problem = await problemOf(operation);
  const sdls = [...subgraphSdls(described.model)].map(([name, sdl]) => `# ${name}\n${sdl}`);
  const labels = [...described.active].join(', ');
  return [
    `TEST_SEED=${seed} FEDERATION_RUNS=1: ${kind}${labels && `, labels: ${labels}`}`,
    ...sdls,
    `${operation.text}\n${JSON.stringify(operation.variables)}`,
    JSON.stringify(problem?.detail, undefined, 1),
  ].join('\n');
}

/** Leaves out selections, directives and aliases as long as the operation fails without them. */
async function reduceOperation(
  operation: GeneratedOperation,
  fails: (operation: GeneratedOperation) => Promise<boolean>,
): Promise<GeneratedOperation> {
  let known = operation;
  for (let at = 0; ; at++) {
    const document = withoutNode(parse(known.text, { noLocation: true }), at);
    if (!document) return known;
    const smaller = { text: print(document), variables: known.variables };
    if (isReadable(smaller.text) && (await fails(smaller))) {
      known = smaller;
      at--;
    }
  }
}

/** A selection that lost its last field is printed without braces, which has another meaning or none. */
function isReadable(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The document without one thing; undefined where it has no more. */
function withoutNode(document: DocumentNode, index: number): DocumentNode | undefined {
  let left = index;
  const next = () => left-- === 0;
  const changed = visit(document, {
    Field: (node): FieldNode | null | undefined => {
      if (next()) return null;
      if (!node.alias || !next()) return undefined;
      const { alias: _, ...plain } = node;
      return plain;
    },
    InlineFragment: () => (next() ? null : undefined),
    FragmentSpread: () => (next() ? null : undefined),
    Directive: () => (next() ? null : undefined),
    FragmentDefinition: () => (next() ? null : undefined),
  });
  return left >= 0 ? undefined : withoutUnused(changed);
}

/** Without variables and fragments that nothing uses. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const spread = new Set<string>();
  const used = new Set<string>();
  const pruned: DocumentNode = visit(document, {
    FragmentSpread: (node) => void spread.add(node.name.value),
    VariableDefinition: () => false,
    Variable: (node) => void used.add(node.name.value),
  });
  const definitions = pruned.definitions
    .filter((one) => one.kind !== Kind.FRAGMENT_DEFINITION || spread.has(one.name.value))
    .map((one) =>
      one.kind === Kind.OPERATION_DEFINITION
        ? ({
            ...one,
            variableDefinitions: one.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)),
          } as OperationDefinitionNode)
        : one,
    );
  return { ...pruned, definitions };
}
