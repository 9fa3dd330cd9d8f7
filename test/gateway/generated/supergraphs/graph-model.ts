/** How a subgraph declares a field. */
export interface FieldShare {
  readonly external?: true;
  readonly shareable?: true;
  readonly inaccessible?: true;
  readonly requires?: string;
  readonly provides?: string;
  readonly override?: { readonly from: string; readonly label?: string };
  /** Its type where this subgraph declares another one. */
  readonly type?: string;
}

export interface FieldModel {
  readonly name: string;
  /** As SDL. */
  readonly type: string;
  /** As SDL, without parentheses; empty where there are none. */
  readonly args: string;
  /** By subgraph. */
  readonly shares: Map<string, FieldShare>;
  /** The object types that its values have; empty for leaves. */
  readonly targets: readonly string[];
  /** What its values are, where its type is an enum. */
  readonly values?: readonly string[];
  /** The field set that its value depends on. */
  readonly requires?: string;
  /** Whether it never fails: other fields depend on it. */
  isSteady?: boolean;
}

/** The ways to identify an entity: by the names of fields that `KEY_FIELDS` declares. */
export type KeyName = keyof typeof KEY_FIELDS;

export const KEY_FIELDS = {
  id: 'id: ID!',
  code: 'code: String!',
  'num kind': 'num: Int! kind: String',
  'place { row }': 'place: Place!',
  'id code': 'id: ID! code: String!',
  'owner { id }': 'owner: Owner!',
  'owner { id } code': 'owner: Owner! code: String!',
  'id place { row }': 'id: ID! place: Place!',
  __typename: '',
} as const;

export interface EntityKey {
  readonly fields: KeyName;
  readonly isResolvable: boolean;
}

export interface ObjectModel {
  readonly name: string;
  /** The subgraphs that declare it, with the keys that each has; none for types that are no entities. */
  readonly graphs: Map<string, readonly EntityKey[]>;
  readonly fields: FieldModel[];
}

export interface InterfaceModel {
  readonly name: string;
  readonly members: readonly string[];
  /** Fields that each member has; as SDL by name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The interface that all its members implement too. */
  readonly parent?: string;
  /** The subgraph that has it as an interface object. */
  readonly objectGraph?: string;
  /** What that subgraph adds to it. */
  readonly objectFields: FieldModel[];
}

export interface GraphModel {
  readonly graphs: readonly string[];
  /** Entities and value types. */
  readonly objects: readonly ObjectModel[];
  readonly interfaces: readonly InterfaceModel[];
  /** Names of unions, with their members by subgraph. */
  readonly unions: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Names of enums, with their values by subgraph. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** The input object, with its fields by subgraph. */
  readonly input: ReadonlyMap<string, string>;
  readonly query: FieldModel[];
  readonly mutation: FieldModel[];
  readonly subscription: FieldModel[];
  readonly labels: readonly string[];
}

export function innermost(type: string): string {
  return type.replace(/[[\]!]/g, '');
}

export function isEntity({ graphs }: ObjectModel): boolean {
  return [...graphs.values()].some((keys) => keys.length > 0);
}

/** Whether there is only one object of an entity, which the name of its type identifies. */
export function isSingleton({ graphs }: ObjectModel): boolean {
  return [...graphs.values()].some((keys) => keys.some(({ fields }) => fields === '__typename'));
}

/** The subgraphs that resolve a field, whatever labels are active. */
export function resolvingGraphs({ shares }: FieldModel): string[] {
  return [...shares].filter(([, { external }]) => !external).map(([graph]) => graph);
}

/** The fields of an entity's keys in a subgraph, as SDL. */
export function keyFields({ graphs }: ObjectModel, graph: string): string[] {
  const texts = (graphs.get(graph) ?? []).flatMap(({ fields }) =>
    KEY_FIELDS[fields].split(/ (?=\w+:)/).filter(Boolean),
  );
  return [...new Set(texts)];
}

/** The fields of an interface that all its members have in a subgraph, as SDL. */
export function interfaceFields(
  { members, fields, objectGraph }: InterfaceModel,
  objects: readonly ObjectModel[],
  graph: string,
): string[] {
  const own = objects.filter(({ name, graphs }) => members.includes(name) && graphs.has(graph));
  if (own.length === 0 || objectGraph === graph) return [];
  return [...fields].flatMap(([name, type]) => {
    const isHere = own.every((object) =>
      name === 'id'
        ? keyFields(object, graph).includes('id: ID!')
        : object.fields.some((field) => field.name === name && field.shares.has(graph)),
    );
    return isHere ? [`${name}: ${type}`] : [];
  });
}
