import { type FieldNode, GraphQLError, Kind, type SelectionNode, valueFromASTUntyped } from 'graphql';
import { parseFieldSet } from '../../../../gateway/planning/supergraph/index.ts';
import { type FieldModel, type GraphModel, innermost, isEntity, isSingleton, type KeyName } from './graph-model.ts';
import { hashOf } from './random.ts';

/** An object of the data. Its fields are computed from its key. */
export interface Thing {
  /** As a subgraph names its type: that of an interface object is the interface. */
  readonly __typename: string;
  readonly type: string;
  readonly key: string;
  /** The representation that it was found by. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The fields that the field provides which it came from, with what it provides below them. */
  readonly provided?: ReadonlyMap<string, readonly SelectionNode[]>;
}

/** What root fields are resolved on. */
export const ROOT: Thing = { __typename: 'Query', type: 'Query', key: 'root' };

type Arguments = Readonly<Record<string, unknown>>;

const COUNT = 5;

/** The code of errors that are part of the data. */
export const FAULT = 'FAULT';

/** The values of all fields of a model: the same ones for each subgraph. */
export class ModelValues {
  /** Which fields fail; 0 is none. */
  faults = 0;
  readonly #model: GraphModel;

  constructor(model: GraphModel) {
    this.#model = model;
  }

  /** The field of a type; also one that an interface object adds to it. */
  fieldOf(type: string, name: string): { readonly field: FieldModel; readonly coordinate: string } | undefined {
    const { objects, interfaces, query: Query, mutation: Mutation, subscription: Subscription } = this.#model;
    const roots: Readonly<Record<string, readonly FieldModel[]>> = { Query, Mutation, Subscription };
    const fields = roots[type] ?? objects.find((one) => one.name === type)?.fields;
    const own = fields?.find((field) => field.name === name);
    if (own) return { field: own, coordinate: `${type}.${name}` };
    for (const one of interfaces) {
      const field = one.objectFields.find((other) => other.name === name);
      if (field && (one.name === type || one.members.includes(type)))
        return { field, coordinate: `${one.name}.${name}` };
    }
    return undefined;
  }

  /** As one service with everything answers. */
  resolve(thing: Thing, name: string, args: Arguments): unknown {
    const found = this.fieldOf(thing.type, name);
    if (!found) return keyValue(thing, name);
    const { field } = found;
    const required = field.requires && this.required(thing, parseFieldSet(field.requires));
    return this.value(thing, name, args, required);
  }

  /** @param required what the field requires, as the caller sent it */
  value(thing: Thing, name: string, args: Arguments, required: unknown): unknown {
    const found = this.fieldOf(thing.type, name);
    if (!found) return keyValue(thing, name);
    const { field, coordinate } = found;
    const text = `${coordinate} ${thing.key} ${JSON.stringify(args)} ${JSON.stringify(required ?? null)}`;
    if (thing.type === 'Place' && name === 'row') return numberIn(thing.key);
    const fault = this.faults === 0 || field.isSteady ? 99 : hashOf(`${this.faults} ${coordinate} ${thing.key}`) % 100;
    if (fault < 5) throw new GraphQLError(`${coordinate} of ${thing.key} failed`, { extensions: { code: FAULT } });
    if (fault < 8) return null;
    const strictest = [...field.shares.values()].find(({ type }) => type !== undefined)?.type ?? field.type;
    return this.#valueOf(strictest, text, field);
  }

  #valueOf(type: string, text: string, field: FieldModel): unknown {
    if (type.endsWith('!')) return this.#present(type.slice(0, -1), text, field);
    return hashOf(`${text} null`) % 100 < 12 ? null : this.#present(type, text, field);
  }

  #present(type: string, text: string, field: FieldModel): unknown {
    const hash = hashOf(text);
    if (type.startsWith('[')) {
      const length = hash % 4;
      return Array.from({ length }, (_, at) => this.#valueOf(type.slice(1, -1), `${text} ${at}`, field));
    }
    if (field.targets.length > 0) {
      const target = field.targets[hash % field.targets.length] ?? '';
      if (target === 'Query') return ROOT;
      const object = this.#model.objects.find(({ name }) => name === target);
      const count = object && isSingleton(object) ? 1 : COUNT;
      const key = object && isEntity(object) ? `${target}:${(hash >>> 4) % count}` : `${target} ${hash}:${hash % 7}`;
      return { __typename: target, type: target, key } satisfies Thing;
    }
    return leafValue(type, hash, field.values ?? []);
  }

  /** What a field set selects of an object. */
  required(thing: Thing, selections: readonly SelectionNode[]): unknown {
    return Object.fromEntries(
      selectedOf(selections, thing.type).map(({ name, arguments: given = [], selectionSet }) => {
        if (name.value === '__typename') return [name.value, thing.type];
        const args = Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
        const defaults = this.fieldOf(thing.type, name.value)?.field.args ?? '';
        const value = this.resolve(thing, name.value, { ...defaultsIn(defaults), ...args });
        return [name.value, this.#below(value, selectionSet?.selections)];
      }),
    );
  }

  #below(value: unknown, selections: readonly SelectionNode[] | undefined): unknown {
    if (!selections || value === null) return value;
    return Array.isArray(value)
      ? value.map((item) => this.#below(item, selections))
      : this.required(value as Thing, selections);
  }
}

/** The fields that a field set selects of an object type, those under conditions on it included. */
export function selectedOf(selections: readonly SelectionNode[], type: unknown): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    const condition = selection.typeCondition?.name.value;
    if (condition === undefined || condition === type) return selectedOf(selection.selectionSet.selections, type);
    if (typeof type !== 'string') throw new GraphQLError('the representation lacks __typename beside a type condition');
    return [];
  });
}

/** What a representation has of a field set. */
export function givenValues(given: unknown, selections: readonly SelectionNode[]): unknown {
  if (given === null) return null;
  if (Array.isArray(given)) return given.map((item) => givenValues(item, selections));
  if (typeof given !== 'object') throw new GraphQLError(`the representation has ${typeof given} for an object`);
  const object = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    selectedOf(selections, object.__typename).map(({ name, selectionSet }) => {
      if (!Object.hasOwn(object, name.value)) throw new GraphQLError(`the representation lacks ${name.value}`);
      const value = object[name.value];
      return [name.value, selectionSet ? givenValues(value, selectionSet.selections) : value];
    }),
  );
}

function defaultsIn(args: string): Arguments {
  return { ...(args.startsWith('m:') && { m: 2 }), ...(args.startsWith('l:') && { l: [1] }) };
}

function numberIn(key: string): number {
  return Number(/:(\d+)$/.exec(key)?.[1] ?? 0);
}

function keyValue({ type, key }: Thing, name: string): unknown {
  const number = numberIn(key);
  if (name === 'id') return key;
  if (name === 'code') return `c-${type}-${number}`;
  if (name === 'num') return number;
  if (name === 'kind') return `kind ${type} ${number}`;
  if (name === 'place') return { __typename: 'Place', type: 'Place', key: `Place ${type}:${number}` } satisfies Thing;
  if (name === 'owner') return { __typename: 'Owner', type: 'Owner', key: `Owner:${number}` } satisfies Thing;
  throw new GraphQLError(`no field ${type}.${name}`);
}

/**
 * The object that a representation stands for.
 * @param keys the keys that the service takes, of which the representation needs a whole one
 */
export function thingOf(typename: string, given: Readonly<Record<string, unknown>>, keys: readonly KeyName[]): Thing {
  if (!keys.some((key) => hasAll(given, parseFieldSet(key))))
    throw new GraphQLError(`no whole key of ${typename}, which are (${keys.join(') (')}): ${JSON.stringify(given)}`);
  const { id, code, num, place, owner } = given as {
    id?: string;
    code?: string;
    num?: number;
    place?: { row?: number };
    owner?: { id?: string };
  };
  const [type, number] = (id?.split(':') ??
    code?.slice(2).split('-') ?? [typename, num ?? place?.row ?? owner?.id?.split(':')[1] ?? 0]) as [string, unknown];
  if (type !== typename && !typename.startsWith('I'))
    throw new GraphQLError(`a key of another type than ${typename}: ${JSON.stringify(given)}`);
  const thing = { __typename: typename, type, key: `${type}:${number}`, given };
  for (const name of ['id', 'code', 'num', 'kind'])
    if (name in given && given[name] !== keyValue(thing, name))
      throw new GraphQLError(`keys of two objects: ${JSON.stringify(given)}`);
  return thing;
}

/** Whether a representation has a value for each field of a key. */
function hasAll(given: unknown, selections: readonly SelectionNode[]): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return selections.every((selection) => {
    if (selection.kind !== Kind.FIELD) return false;
    const value = (given as Readonly<Record<string, unknown>>)[selection.name.value];
    if (value === undefined || value === null) return false;
    return !selection.selectionSet || hasAll(value, selection.selectionSet.selections);
  });
}

function leafValue(type: string, hash: number, values: readonly string[]): unknown {
  switch (innermost(type)) {
    case 'Int':
      return (hash % 2000) - 1000;
    case 'Float':
      return (hash % 1000) / 8;
    case 'Boolean':
      return hash % 2 === 0;
    case 'ID':
      return `x${hash % 1000}`;
    case 'String':
      return ['', 'é"\\\n', `text ${hash % 1000}`, `text ${hash}`][hash % 4];
    case 'Any':
      return [{ id: hash, __typename: 'Odd' }, [hash, null, { a: [] }], 'any', hash, true][hash % 5];
    default:
      return values[hash % values.length] ?? null;
  }
}
