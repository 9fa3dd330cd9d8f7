import { Kind, print, type SelectionNode } from 'graphql';
import type { FieldInGraph, JoinedType, JoinedTypes } from './joined-types.ts';

/** A subgraph in which an object may be held, as its own type or as an interface object. */
export interface Place {
  readonly graph: string;
  readonly as: string;
  /** The selections that the field which returned the object provides. */
  readonly provided: readonly SelectionNode[];
  readonly key: string;
}

/** The known values of progressive override labels. */
export type Labels = ReadonlyMap<string, boolean>;

/** A possible result of a field for some values of labels. Any of the subgraphs in `answers` may return it. */
export interface Outcome {
  readonly labels: Labels;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly graph: string;
  readonly type: string;
  readonly provided: readonly SelectionNode[];
}

/** Determines the subgraphs from which an object and its fields can be fetched. */
export interface Reach {
  /** All places from which an object can be fetched, if it is held at the given places. */
  placesFrom(type: string, held: readonly Place[], labels: Labels): readonly Place[];
  /**
   * The results of a field for an object at these places. There are several if labels decide; each of them may occur.
   */
  outcomesOf(type: string, places: readonly Place[], field: string, labels: Labels): readonly Outcome[];
  /** The possible objects of results, by type. */
  objectsOf(answers: readonly Answer[]): ReadonlyMap<string, readonly Place[]>;
}

export function place(graph: string, as: string, provided: readonly SelectionNode[] = []): Place {
  const text = provided.length > 0 ? provided.map(print).join(' ') : '';
  return { graph, as, provided, key: `${graph} ${as} ${text}` };
}

export function openReach({ types, roots }: JoinedTypes): Reach {
  const query = roots[0]?.type;
  const known = new Map<string, readonly Place[]>();
  const fulfilled = new Map<string, boolean>();
  /** Searches in progress, which may depend on themselves, by key. Each has its depth and the places found so far. */
  const pending = new Map<string, { readonly depth: number; readonly found: ReadonlyMap<string, Place> }>();
  /**
   * The depth of the outermost search on which another one depended. Results of the searches above it are not final.
   */
  let needed = Number.POSITIVE_INFINITY;

  /** Runs a search that may depend on itself. The result is only kept if it does not depend on an unfinished search. */
  function guarded<T>(key: string, found: ReadonlyMap<string, Place>, find: () => T, keep: (result: T) => void): T {
    const depth = pending.size;
    pending.set(key, { depth, found });
    const result = find();
    pending.delete(key);
    if (needed >= depth) {
      needed = Number.POSITIVE_INFINITY;
      keep(result);
    }
    return result;
  }

  function placesFrom(name: string, held: readonly Place[], labels: Labels): readonly Place[] {
    const type = types.get(name);
    if (!type) return held;
    const key = `${name}\n${placesKey(held)}\n${labelsKey(labels)}`;
    const before = known.get(key);
    if (before) return before;
    const unfinished = pending.get(key);
    if (unfinished) {
      needed = Math.min(needed, unfinished.depth);
      return [...unfinished.found.values()];
    }
    const found = new Map(held.map((one) => [`${one.graph} ${one.as}${one.provided.length > 0 ? one.key : ''}`, one]));
    const search = () => {
      while (addEntered(type, held, found, labels));
      return [...found.values()];
    };
    return guarded(key, found, search, (places) => known.set(key, places));
  }

  /** Adds the places that keys lead to. @returns whether a place was added */
  function addEntered(type: JoinedType, held: readonly Place[], found: Map<string, Place>, labels: Labels): boolean {
    const size = found.size;
    const enter = (graph: string, as: string, keys: readonly SelectionNode[][]) => {
      const id = `${graph} ${as}`;
      if (found.has(id)) return;
      const places = [...found.values()];
      if (keys.some((fields) => canSelect(type.name, places, fields, labels))) found.set(id, place(graph, as));
    };
    // The fields of the query root type can be requested from anywhere.
    if (type.name === query) for (const graph of type.graphs.keys()) enter(graph, type.name, [[]]);
    for (const name of type.interfaces) {
      const above = types.get(name);
      for (const [graph, { keys, isInterfaceObject }] of above?.graphs ?? [])
        if (isInterfaceObject) enter(graph, name, usable(keys));
        // A subgraph with the interface can tell the type of an interface object.
        else if (above?.members.get(type.name)?.has(graph) && held.some(({ as }) => as === name))
          enter(graph, type.name, usable(keys));
    }
    if ([...found.values()].some(({ as }) => as === type.name))
      for (const [graph, { keys }] of type.graphs) enter(graph, type.name, usable(keys));
    return found.size > size;
  }

  function canSelect(
    type: string,
    places: readonly Place[],
    selections: readonly SelectionNode[],
    labels: Labels,
  ): boolean {
    return selections.every((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return false;
      const below = selection.selectionSet?.selections ?? [];
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return !matches(type, selection.typeCondition?.name.value) || canSelect(type, places, below, labels);
      if (selection.name.value === '__typename') return true;
      return outcomesOf(type, places, selection.name.value, labels).every(
        (outcome) =>
          outcome.answers.length > 0 &&
          [...objectsOf(outcome.answers)].every(
            ([object, held]) =>
              below.length === 0 || canSelect(object, placesFrom(object, held, outcome.labels), below, outcome.labels),
          ),
      );
    });
  }

  function outcomesOf(type: string, places: readonly Place[], field: string, labels: Labels): readonly Outcome[] {
    const open = new Set<string>();
    for (const { as, graph } of places) {
      const label = fieldAt(as, graph, field)?.label?.name;
      if (label !== undefined && !labels.has(label)) open.add(label);
    }
    return combinations(open, labels).map((values) => ({
      labels: values,
      answers: answersOf(type, places, field, values),
    }));
  }

  function answersOf(type: string, places: readonly Place[], field: string, labels: Labels): readonly Answer[] {
    const answers: Answer[] = [];
    for (const at of places) {
      const given = fieldAt(at.as, at.graph, field);
      if (!given || (given.label && labels.get(given.label.name) !== given.label.on)) continue;
      const provided = at.provided.length > 0 ? providedOf(type, at.provided, field) : undefined;
      if (!given.resolves && !provided) continue;
      if (given.requires.length > 0 && !canRequire(type, places, at, field, given.requires, labels)) continue;
      answers.push({
        graph: at.graph,
        type: given.type,
        provided: provided ? [...given.provides, ...provided] : given.provides,
      });
    }
    return answers;
  }

  function fieldAt(type: string, graph: string, field: string): FieldInGraph | undefined {
    return types.get(type)?.fields.get(field)?.graphs.get(graph);
  }

  /** Whether the fields that a field requires from other subgraphs can be fetched. */
  function canRequire(
    type: string,
    places: readonly Place[],
    at: Place,
    field: string,
    requires: readonly SelectionNode[],
    labels: Labels,
  ): boolean {
    const key = `${at.graph} requires ${type}.${field}\n${placesKey(places)}\n${labelsKey(labels)}`;
    const before = fulfilled.get(key);
    if (before !== undefined) return before;
    const unfinished = pending.get(key);
    if (unfinished) {
      // The requirement depends on itself.
      needed = Math.min(needed, unfinished.depth);
      return false;
    }
    const search = () => canSelect(type, places, requires, labels) && canReturnTo(type, places, at, labels);
    return guarded(key, new Map(), search, (is) => fulfilled.set(key, is));
  }

  /**
   * Whether a subgraph can be called again with fields of others: with a key, and with the type under which it has the
   * object.
   */
  function canReturnTo(type: string, places: readonly Place[], { graph, as }: Place, labels: Labels): boolean {
    const keys = usable(types.get(as)?.graphs.get(graph)?.keys ?? []);
    return type === query || keys.some((fields) => canSelect(type, places, fields, labels));
  }

  function objectsOf(answers: readonly Answer[]): ReadonlyMap<string, readonly Place[]> {
    const objects = new Map<string, Place[]>();
    const add = (object: string, at: Place) => objects.set(object, [...(objects.get(object) ?? []), at]);
    for (const { graph, type: name, provided } of answers) {
      const type = types.get(name);
      if (!type) continue;
      if (!type.isAbstract) add(name, place(graph, name, provided));
      else if (type.graphs.get(graph)?.isInterfaceObject)
        for (const member of type.members.keys()) add(member, place(graph, name, provided));
      else
        for (const [member, graphs] of type.members) if (graphs.has(graph)) add(member, place(graph, member, provided));
    }
    return objects;
  }

  /** The provided selections below a field. Undefined if the field itself is not provided. */
  function providedOf(
    type: string,
    provided: readonly SelectionNode[],
    field: string,
  ): readonly SelectionNode[] | undefined {
    const found = provided.flatMap((selection): (readonly SelectionNode[])[] => {
      if (selection.kind === Kind.FIELD)
        return selection.name.value === field ? [selection.selectionSet?.selections ?? []] : [];
      if (selection.kind !== Kind.INLINE_FRAGMENT || !matches(type, selection.typeCondition?.name.value)) return [];
      const below = providedOf(type, selection.selectionSet.selections, field);
      return below ? [below] : [];
    });
    return found.length > 0 ? found.flat() : undefined;
  }

  function matches(type: string, condition: string | undefined): boolean {
    return condition === undefined || condition === type || types.get(condition)?.members.has(type) === true;
  }

  return { placesFrom, outcomesOf, objectsOf };
}

function usable(keys: readonly { readonly resolvable: boolean; readonly fields: readonly SelectionNode[] }[]) {
  return keys.filter(({ resolvable }) => resolvable).map(({ fields }) => [...fields]);
}

/** All combinations of values for some labels, in addition to the known values. */
function combinations(open: ReadonlySet<string>, labels: Labels): readonly Labels[] {
  let all: readonly Labels[] = [labels];
  for (const label of open) all = all.flatMap((values) => [true, false].map((on) => new Map([...values, [label, on]])));
  return all;
}

function placesKey(places: readonly Place[]): string {
  return places
    .map(({ key }) => key)
    .sort()
    .join('\n');
}

function labelsKey(labels: Labels): string {
  return labels.size === 0
    ? ''
    : [...labels]
        .map(([label, on]) => `${label}=${on}`)
        .sort()
        .join(' ');
}
