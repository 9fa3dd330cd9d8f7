import { decorate } from './decorate-model.ts';
import {
  type EntityKey,
  type FieldModel,
  type FieldShare,
  type GraphModel,
  type InterfaceModel,
  innermost,
  interfaceFields,
  isEntity,
  KEY_FIELDS,
  type KeyName,
  type ObjectModel,
} from './graph-model.ts';
import type { Random } from './random.ts';

/** The keys of plain graphs. Those of wide ones contain other entities, too. */
const KEYS: readonly KeyName[] = ['id', 'code', 'num kind', 'place { row }', 'id code'];
const WIDE_KEYS = (Object.keys(KEY_FIELDS) as KeyName[]).filter((key) => key !== '__typename');
const GRAPHS = ['alpha', 'bravo', 'carol', 'delta'];
const WIDE_GRAPHS = [...GRAPHS, 'echo', 'foxtrot'];
/** A type whose fields some subgraphs lack. */
const PARTIAL = 'V9';
const LEAVES = ['String', 'Int', 'Float', 'Boolean', 'ID', 'Any', 'Level', 'Mood'];
const WRAPPERS = ['T', 'T', 'T', 'T!', 'T!', '[T]', '[T!]', '[T!]!', '[T]!', '[[T]]', '[[T!]!]'];
const ARGUMENTS = [
  '',
  '',
  '',
  '',
  'n: Int',
  'm: Int = 2',
  's: String',
  'i: Filter',
  'p: Mode, k: Int!',
  'l: [Int!] = [1]',
];

/** `plain` has what the present engines are known to answer; `wide` has all that a supergraph may have. */
export type Breadth = 'plain' | 'wide';

/** Makes up the types of a supergraph, and which subgraph has what of them. Not all such subgraphs compose. */
export function generateModel(random: Random, breadth: Breadth = 'plain'): GraphModel {
  return new ModelGenerator(random, breadth).generate();
}

class ModelGenerator {
  readonly #random: Random;
  readonly #graphs: readonly string[];
  readonly #objects: ObjectModel[] = [];
  readonly #interfaces: InterfaceModel[] = [];
  readonly #unions = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #enums = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #isWide: boolean;
  #names = 0;

  constructor(random: Random, breadth: Breadth) {
    this.#random = random;
    this.#isWide = breadth === 'wide';
    const names = this.#isWide ? WIDE_GRAPHS : GRAPHS;
    this.#graphs = random.shuffled(names).slice(0, 2 + random.below(names.length - 1));
  }

  generate(): GraphModel {
    const random = this.#random;
    this.#addEnums();
    this.#addValues();
    const entities = 2 + random.below(3);
    for (let at = 0; at < entities; at++) this.#addEntity(`E${at}`);
    if (this.#isWide) this.#addWideTypes();
    if (random.chance(70)) this.#addInterface('I0', undefined);
    const [first] = this.#interfaces;
    if (first && !first.objectGraph && random.chance(40)) this.#addInterface('I1', first);
    if (random.chance(50)) this.#addUnion();
    for (const one of this.#interfaces) this.#addInterfaceFields(one);
    for (const object of this.#objects) this.#addFields(object);
    for (const one of this.#interfaces) this.#addObjectFields(one);
    const model: GraphModel = {
      graphs: this.#graphs,
      objects: this.#objects,
      interfaces: this.#interfaces,
      unions: this.#unions,
      enums: this.#enums,
      input: this.#input(),
      query: this.#rootFields('q', 1 + random.below(3)),
      mutation: random.chance(60) ? this.#rootFields('m', 1 + random.below(2)) : [],
      subscription: random.chance(60) ? this.#rootFields('s', 1) : [],
      labels: ['next', 'percent(50)'],
    };
    decorate(model, random, this.#isWide);
    return model;
  }

  #addEnums(): void {
    const some = (values: readonly string[]) =>
      new Map(this.#graphs.map((graph) => [graph, this.#random.chance(60) ? values : values.slice(0, 2)]));
    const levels = ['LOW', 'HIGH', 'TOP'];
    this.#enums.set('Level', new Map(this.#graphs.map((graph) => [graph, levels])));
    this.#enums.set('Mood', some(['GOOD', 'BAD', 'ODD']));
    this.#enums.set('Mode', some(['FAST', 'SLOW', 'LAZY']));
  }

  #input(): ReadonlyMap<string, string> {
    const fields = 'a: Int = 3, level: Level, more: [Filter!], text: String';
    return new Map(this.#graphs.map((graph) => [graph, this.#random.chance(80) ? fields : `${fields}, own: Int`]));
  }

  /** Types that every subgraph has in the same way, and some that one of them has. */
  #addValues(): void {
    const everywhere = () => new Map(this.#graphs.map((graph) => [graph, []]));
    this.#objects.push({ name: 'Place', graphs: everywhere(), fields: [] });
    this.#objects.push({ name: 'V0', graphs: everywhere(), fields: [] });
    this.#objects.push({ name: 'V1', graphs: everywhere(), fields: [] });
    const own = new Map([[this.#random.oneOf(this.#graphs), []]]);
    if (this.#random.chance(50)) this.#objects.push({ name: 'Own', graphs: own, fields: [] });
  }

  /** An entity that keys contain, one of which there is a single object, and values whose fields are not all in each subgraph. */
  #addWideTypes(): void {
    const random = this.#random;
    const keyed = (fields: KeyName, graphs: readonly string[]) =>
      new Map(graphs.map((graph) => [graph, [{ fields, isResolvable: true }]]));
    this.#objects.push({ name: 'Owner', graphs: keyed('id', this.#graphs), fields: [] });
    if (random.chance(15))
      this.#objects.push({ name: 'E9', graphs: keyed('__typename', random.some(this.#graphs, 2)), fields: [] });
    this.#addPartialValues();
    if (random.chance(4))
      this.#objects.push({ name: 'Payload', graphs: new Map([[random.oneOf(this.#graphs), []]]), fields: [] });
  }

  #addPartialValues(): void {
    const random = this.#random;
    const fields = Array.from({ length: 3 }, () => {
      const graphs = random.some(this.#graphs, 1 + random.below(this.#graphs.length));
      return this.#leafField(this.#name('v'), this.#shareable(graphs));
    });
    const graphs = new Map(fields.flatMap(({ shares }) => [...shares.keys()]).map((graph) => [graph, []]));
    this.#objects.push({ name: PARTIAL, graphs, fields });
  }

  #addEntity(name: string): void {
    const random = this.#random;
    const possible = this.#isWide ? WIDE_KEYS : KEYS;
    const graphs = random.some(this.#graphs, 1 + random.below(this.#graphs.length));
    const isSimple = random.chance(75);
    const keys = graphs.map((graph): [string, EntityKey[]] => {
      const names: KeyName[] = isSimple ? ['id'] : [random.oneOf(possible)];
      if (random.chance(30)) names.push(random.oneOf(possible));
      const isResolvable = random.chance(isSimple ? 97 : 90);
      return [graph, [...new Set(names)].map((fields) => ({ fields, isResolvable }))];
    });
    // One subgraph has all keys, so that a way leads from each to each.
    const [hub] = keys;
    const all = new Set(keys.flatMap(([, own]) => own.map(({ fields }) => fields)));
    if (hub && random.chance(90)) hub[1] = [...all].map((fields) => ({ fields, isResolvable: true }));
    this.#objects.push({ name, graphs: new Map(keys), fields: [] });
  }

  #addInterface(name: string, parent: InterfaceModel | undefined): void {
    const random = this.#random;
    const known = this.#objects.filter(isEntity);
    const candidates = parent ? known.filter((one) => parent.members.includes(one.name)) : known;
    let members = random.some(candidates, 1 + random.below(candidates.length));
    // An interface object needs a subgraph without any of the interface's types: fewer types leave one.
    for (let tries = 0; this.#isWide && !parent && tries < 4 && this.#homeOf(members) === undefined; tries++)
      members = random.some(candidates, 1 + random.below(candidates.length));
    const fields = new Map(parent?.fields);
    const own = 1 + random.below(2);
    for (let at = 0; at < own; at++) fields.set(this.#name('i'), this.#leafType());
    const home = this.#homeOf(members);
    const others = this.#withoutAny(members);
    const hasObject = !parent && home !== undefined && random.chance(70);
    const haveId = members.every((one) => [...one.graphs.keys()].some((graph) => hasKey(one, graph, 'id')));
    if (hasObject || (haveId && random.chance(60))) fields.set('id', 'ID!');
    this.#interfaces.push({
      name,
      members: members.map((one) => one.name),
      fields,
      ...(parent && { parent: parent.name }),
      ...(hasObject && { objectGraph: random.oneOf(others) }),
      objectFields: [],
    });
  }

  /** The subgraph that may have an interface with a key, where another one may have it as an interface object. */
  #homeOf(members: readonly ObjectModel[]): string | undefined {
    const home = this.#graphs.find((graph) => members.every((one) => hasKey(one, graph, 'id')));
    return this.#withoutAny(members).length > 0 ? home : undefined;
  }

  #withoutAny(members: readonly ObjectModel[]): string[] {
    return this.#graphs.filter((graph) => !members.some(({ graphs }) => graphs.has(graph)));
  }

  #addUnion(): void {
    const random = this.#random;
    const candidates = this.#objects.filter(({ name }) => name !== 'Place' && name !== PARTIAL);
    const members = random.some(candidates, 2 + random.below(2));
    const byGraph = this.#graphs.flatMap((graph): [string, readonly string[]][] => {
      const own = members.filter(({ graphs }) => graphs.has(graph) && random.chance(85)).map(({ name }) => name);
      return own.length > 0 ? [[graph, own]] : [];
    });
    if (byGraph.length > 0) this.#unions.set('U0', new Map(byGraph));
  }

  /** Most of them in one subgraph, which then has the interface. */
  #addInterfaceFields({ members, fields }: InterfaceModel): void {
    const random = this.#random;
    const objects = this.#objects.filter(({ name }) => members.includes(name));
    const home = random.oneOf(objects.flatMap(({ graphs }) => [...graphs.keys()]));
    for (const [name, type] of fields)
      for (const object of objects) {
        if (name === 'id' || object.fields.some((field) => field.name === name)) continue;
        const graphs = object.graphs.has(home) && random.chance(75) ? [home] : [...object.graphs.keys()];
        const own = type.endsWith('!') || random.chance(75) ? type : `${type}!`;
        object.fields.push(this.#field(name, own, [], this.#shares(graphs)));
      }
  }

  #addFields(object: ObjectModel): void {
    const random = this.#random;
    if (object.name === PARTIAL) return;
    if (object.name === 'Payload')
      object.fields.push(
        this.#field('query', 'Query', ['Query'], new Map([...object.graphs.keys()].map((one) => [one, {}]))),
      );
    const isShared = !isEntity(object) && object.graphs.size === this.#graphs.length;
    if (isShared) {
      const shares = () => this.#shareable(this.#graphs);
      if (object.name === 'Place') {
        object.fields.push({ name: 'row', type: 'Int!', args: '', shares: shares(), targets: [], isSteady: true });
        object.fields.push({ name: 'shelf', type: 'String', args: '', shares: shares(), targets: [] });
        return;
      }
      for (let at = 0; at < 2; at++) object.fields.push(this.#leafField(this.#name('v'), shares()));
      if (object.name === 'V1')
        object.fields.push(this.#field(this.#name('v'), random.oneOf(['V0', 'V0!', '[V0]']), ['V0'], shares()));
      return;
    }
    const count = 1 + random.below(4) + object.graphs.size;
    for (let at = 0; at < count; at++) object.fields.push(this.#anyField(this.#name('f'), [...object.graphs.keys()]));
  }

  #addObjectFields(one: InterfaceModel): void {
    if (one.objectGraph === undefined) return;
    const count = 1 + this.#random.below(2);
    for (let at = 0; at < count; at++) one.objectFields.push(this.#anyField(this.#name('o'), [one.objectGraph]));
    const [required] = [...one.fields].filter(([name]) => name !== 'id');
    if (!this.#isWide || !required || !this.#random.chance(60)) return;
    const [name, type] = required;
    for (const object of this.#objects)
      for (const field of object.fields)
        if (one.members.includes(object.name) && field.name === name) field.isSteady = true;
    const share = (own: FieldShare) => new Map([[one.objectGraph as string, own]]);
    one.objectFields.push(this.#field(name, type, [], share({ external: true })));
    const requiring = this.#field(this.#name('o'), 'String', [], share({ requires: name }));
    one.objectFields.push({ ...requiring, requires: name });
  }

  #rootFields(prefix: string, each: number): FieldModel[] {
    const random = this.#random;
    return this.#graphs.flatMap((graph) =>
      Array.from({ length: each }, () => {
        const isShared = prefix === 'q' && random.chance(15);
        return this.#anyField(this.#name(prefix), isShared ? random.shuffled(this.#graphs) : [graph], 90, isShared);
      }),
    );
  }

  #shares(graphs: readonly string[], isShared = this.#random.chance(15)): Map<string, FieldShare> {
    const random = this.#random;
    if (!isShared || graphs.length < 2) return new Map([[random.oneOf(graphs), {}]]);
    return this.#shareable(random.some(graphs, this.#isWide ? 2 + random.below(graphs.length - 1) : 2));
  }

  #shareable(graphs: readonly string[]): Map<string, FieldShare> {
    return new Map(graphs.map((graph): [string, FieldShare] => [graph, { shareable: true }]));
  }

  #anyField(name: string, graphs: readonly string[], composite = 55, isShared?: boolean): FieldModel {
    const random = this.#random;
    const isRoot = name.startsWith('q');
    const shares = this.#shares(graphs, isShared);
    if (!random.chance(composite)) return this.#leafField(name, shares);
    const owners = [...shares.keys()];
    const candidates = [...this.#compositeTypes(owners)];
    const partial =
      this.#isWide && /^[fq]/.test(name) ? this.#partialShares(isRoot ? this.#graphs : graphs) : undefined;
    if (partial && (candidates.length === 0 || random.chance(15)))
      return this.#field(name, random.oneOf(WRAPPERS).replace('T', PARTIAL), [PARTIAL], partial);
    if (candidates.length === 0) return this.#leafField(name, shares);
    const [named, targets] = random.oneOf(candidates);
    return this.#field(name, random.oneOf(WRAPPERS).replace('T', named), targets, shares);
  }

  /** All subgraphs that know partial values, so that what one lacks of such a value another one has; undefined where some is lost. */
  #partialShares(graphs: readonly string[]): Map<string, FieldShare> | undefined {
    const partial = this.#objects.find(({ name }) => name === PARTIAL);
    const owners = graphs.filter((graph) => partial?.graphs.has(graph));
    const isWhole = partial?.fields.every(({ shares }) => owners.some((graph) => shares.has(graph)));
    return isWhole ? this.#shareable(owners) : undefined;
  }

  /** The types of objects that all these subgraphs know, and what such an object may be. */
  *#compositeTypes(owners: readonly string[]): Generator<[string, readonly string[]]> {
    const objects = this.#objects.filter(({ graphs }) => owners.every((graph) => graphs.has(graph)));
    for (const { name } of objects) if (name !== 'Place' && name !== PARTIAL) yield [name, [name]];
    for (const one of this.#interfaces) {
      const { name, members, objectGraph } = one;
      if (objectGraph !== undefined && owners.includes(objectGraph)) {
        if (owners.length === 1) for (let times = 0; times < 3; times++) yield [name, members];
        continue;
      }
      const known = members.filter((member) => objects.some((one) => one.name === member));
      if (!owners.every((graph) => interfaceFields(one, this.#objects, graph).length > 0)) continue;
      for (let times = 0; times < 2 && known.length > 0; times++) yield [name, known];
    }
    for (const [name, byGraph] of this.#unions) {
      const [first = [], ...others] = owners.map((graph) => byGraph.get(graph) ?? []);
      const known = first.filter((member) => others.every((other) => other.includes(member)));
      if (known.length > 0) yield [name, known];
    }
  }

  #leafField(name: string, shares: Map<string, FieldShare>): FieldModel {
    return this.#field(name, this.#leafType(), [], shares);
  }

  #leafType(): string {
    return this.#random.oneOf(WRAPPERS).replace('T', this.#random.oneOf(LEAVES));
  }

  #field(name: string, type: string, targets: readonly string[], shares: Map<string, FieldShare>): FieldModel {
    const byGraph = this.#enums.get(innermost(type));
    const [first = [], ...others] = byGraph ? [...shares.keys()].map((graph) => byGraph.get(graph) ?? []) : [];
    const values = first.filter((value) => others.every((other) => other.includes(value)));
    const args = name.startsWith('i') ? '' : this.#random.oneOf(ARGUMENTS);
    return { name, type, args, shares, targets, ...(byGraph && { values }) };
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }
}

function hasKey({ graphs }: ObjectModel, graph: string, fields: KeyName): boolean {
  return graphs.get(graph)?.some((key) => key.fields === fields && key.isResolvable) ?? false;
}
