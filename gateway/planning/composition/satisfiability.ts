import { type DocumentNode, GraphQLError, OperationTypeNode } from 'graphql';
import { type JoinedField, type JoinedType, type JoinedTypes, readJoinedTypes } from './joined-types.ts';
import { type Labels, openReach, type Place, place } from './reach.ts';

/** An object that an operation may reach. */
interface Step {
  readonly type: JoinedType;
  /** The places that hold the object before keys lead to others. */
  readonly held: readonly Place[];
  readonly labels: Labels;
  /** The previous object and the field that leads here. Undefined for a root type. */
  readonly from: { readonly step: Step; readonly field: JoinedField } | undefined;
}

/**
 * The maximum number of objects visited with values of labels. Each label on the path to a field doubles the number.
 */
const MAX_LABELLED_STEPS = 100_000;

/**
 * Finds the fields of a supergraph that an operation may select but no subgraph can resolve (`SATISFIABILITY_ERROR` in
 * Apollo's list of composition errors). The composer's own check follows each path to each field, which takes a minute
 * and gigabytes for thousands of types. This check only revisits an object if it can be fetched from fewer subgraphs
 * than before.
 *
 * @returns one error for each field, with the shortest operation that selects it
 */
export function unsatisfiableFields(supergraph: DocumentNode): readonly GraphQLError[] {
  const joined = readJoinedTypes(supergraph);
  // This run assumes that a label may have another value at each field. Such a run is fast and finds all errors, but
  // may report too many.
  const errors = errorsOf(joined, false);
  return errors.length > 0 && joined.hasLabels ? errorsOf(joined, true) : errors;
}

function errorsOf(joined: JoinedTypes, knowsLabels: boolean): readonly GraphQLError[] {
  const reach = openReach(joined);
  const errors = new Map<string, GraphQLError>();
  const isNew = visitedBefore();
  const steps: Step[] = joined.roots.flatMap(({ type: name }) => {
    const type = joined.types.get(name);
    const held = type ? [...type.graphs.keys()].map((graph) => place(graph, name)) : [];
    return type ? [{ type, held, labels: new Map(), from: undefined }] : [];
  });
  for (const step of steps) {
    const { type, labels } = step;
    const places = reach.placesFrom(type.name, step.held, labels);
    if (type.isInaccessible || !isNew(type.name, places, labels)) continue;
    if (knowsLabels && steps.length > MAX_LABELLED_STEPS) break;
    if (!places.some(({ as }) => as === type.name)) note(errors, type.name, step, undefined, joined);
    for (const field of type.fields.values()) {
      if (field.isInaccessible) continue;
      for (const { answers, labels: decided } of reach.outcomesOf(type.name, places, field.name, labels)) {
        if (answers.length === 0) note(errors, `${type.name}.${field.name}`, step, field, joined);
        for (const [name, held] of reach.objectsOf(answers)) {
          const object = joined.types.get(name);
          if (!object) continue;
          steps.push({ type: object, held, labels: knowsLabels ? decided : labels, from: { step, field } });
        }
      }
    }
  }
  return [...errors.values()];
}

/** Whether a type has not been visited with at most these places and label values. */
function visitedBefore() {
  const visits = new Map<string, { readonly keys: ReadonlySet<string>; readonly labels: Labels }[]>();
  return (type: string, places: readonly Place[], labels: Labels): boolean => {
    const keys = new Set(places.map(({ key }) => key));
    const before = visits.get(type) ?? [];
    const isCovered = before.some(
      (visit) =>
        [...visit.keys].every((key) => keys.has(key)) &&
        [...visit.labels].every(([label, on]) => labels.get(label) === on),
    );
    if (!isCovered) visits.set(type, [...before, { keys, labels }]);
    return !isCovered;
  };
}

function note(
  errors: Map<string, GraphQLError>,
  coordinate: string,
  step: Step,
  field: JoinedField | undefined,
  joined: JoinedTypes,
): void {
  if (errors.has(coordinate)) return;
  const reasons = field ? reasonsOf(step, field, joined) : typeReasons(step, joined);
  const message = [
    'The following supergraph API query:',
    operationTo(step, field, joined),
    'cannot be satisfied by the subgraphs because:',
    ...reasons.map((reason) => `- ${reason}`),
  ].join('\n');
  errors.set(coordinate, new GraphQLError(message, { extensions: { code: 'SATISFIABILITY_ERROR' } }));
}

/** An operation that selects a field of a step, or only the object of the step. */
function operationTo(step: Step, field: JoinedField | undefined, { types, roots }: JoinedTypes): string {
  const path: string[] = field ? [types.has(field.type) ? `${field.name} { ... }` : field.name] : ['__typename'];
  let operation = 'query';
  for (let at: Step = step; ; at = at.from.step) {
    if (!at.from) {
      operation = roots.find(({ type }) => type === at.type.name)?.operation ?? operation;
      break;
    }
    const isAbstract = types.get(at.from.field.type)?.isAbstract === true;
    if (isAbstract) path.unshift(`... on ${at.type.name}`);
    path.unshift(at.from.field.name);
  }
  const last = path.pop() ?? '';
  const start = operation === OperationTypeNode.QUERY ? '{' : `${operation} {`;
  const down = path.map((one, depth) => `${'  '.repeat(depth + 1)}${one} {`);
  const up = path.map((_, index) => `${'  '.repeat(path.length - index)}}`);
  return [start, ...down, `${'  '.repeat(path.length + 1)}${last}`, ...up, '}'].join('\n');
}

/** The reasons why the type of an object cannot be determined. The step holds it as an interface object. */
function typeReasons({ type, held }: Step, { names }: JoinedTypes): readonly string[] {
  return held.map(({ graph, as }) => {
    const name = names.get(graph) ?? graph;
    return `from subgraph "${name}": no subgraph can be reached that knows which objects of the @interfaceObject type "${as}" are "${type.name}".`;
  });
}

function reasonsOf({ type, held }: Step, field: JoinedField, { types, names }: JoinedTypes): readonly string[] {
  const coordinate = `"${type.name}.${field.name}"`;
  const nameOf = (graph: string) => `"${names.get(graph) ?? graph}"`;
  const holding = new Set(held.map(({ graph }) => graph));
  const own = held.map(({ graph, as }) => {
    const given = types.get(as)?.fields.get(field.name)?.graphs.get(graph);
    const why = !given
      ? `cannot find field ${coordinate}.`
      : given.resolves
        ? `cannot satisfy @requires conditions on field ${coordinate}.`
        : `field ${coordinate} is not resolvable because marked @external, or overridden.`;
    return `from subgraph ${nameOf(graph)}: ${why}`;
  });
  const having = [type, ...type.interfaces.flatMap((name) => types.get(name) ?? [])].flatMap((one) =>
    [...(one.fields.get(field.name)?.graphs ?? [])]
      .filter(
        ([graph, { resolves }]) =>
          resolves && !holding.has(graph) && (one === type || one.graphs.get(graph)?.isInterfaceObject),
      )
      .map(([graph]) => ({ graph, keys: one.graphs.get(graph)?.keys ?? [] })),
  );
  const others = having.map(({ graph, keys }) => {
    const usable = keys.filter(({ resolvable }) => resolvable).map(({ text }) => `"${text}"`);
    if (keys.length === 0)
      return `cannot move to subgraph ${nameOf(graph)}, which has field ${coordinate}, because type "${type.name}" has no @key defined in subgraph ${nameOf(graph)}.`;
    if (usable.length === 0)
      return `cannot move to subgraph ${nameOf(graph)}, which has field ${coordinate}, because no @key of type "${type.name}" is resolvable in subgraph ${nameOf(graph)}.`;
    return `cannot move to subgraph ${nameOf(graph)}, which has field ${coordinate}, using @key(fields: ${usable.join(' or ')}) of "${type.name}": the key field(s) cannot be resolved, or the conditions of @requires on the field cannot be satisfied.`;
  });
  return [...own, ...others];
}
