import type { DirectiveNode, FieldNode, GraphQLInputType, OperationTypeNode, SelectionNode } from 'graphql';

/*
 * The model for planning operations: which service resolves which fields of which type, and how a service returns an
 * object that another one knows. Supergraphs, stitched services and relationships are translated into this model.
 */

/** A set of fields: a key, or the fields that a field requires or provides. */
export interface FieldSet {
  readonly text: string;
  readonly selections: readonly SelectionNode[];
}

/** An object type, interface or union, and its definition in each service. */
export interface TypeModel {
  readonly name: string;
  readonly kind: 'object' | 'interface' | 'union';
  /** The interfaces that the type implements in any service. */
  readonly interfaces: readonly string[];
  /** The services that have the type, in the order of the graph. */
  readonly services: readonly string[];
  /** The type of a field in the graph, as SDL. */
  fieldType(field: string): string | undefined;
  /** The name of a field's type, without list and non-null wrappers. */
  fieldTypeName(field: string): string | undefined;
  in(service: string): ServiceType | undefined;
  /**
   * The fields of the type's objects that are root fields of a service and take arguments from the object. Undefined if
   * there are none.
   */
  relationships(service: string): ServiceType | undefined;
}

/** A type in one service. */
export interface ServiceType {
  /** Whether the service has the interface as an object type (`@interfaceObject`). */
  readonly isInterfaceObject: boolean;
  /** The keys by which the service returns the type's objects as entities. */
  readonly keys: readonly FieldSet[];
  /** The root fields through which the service returns the type's objects. */
  readonly lookups: readonly RootLookup[];
  /** All keys of the type in the service, including those by which it does not return objects. */
  readonly allKeys: readonly string[];
  /** A union's members in the service. */
  readonly unionMembers: ReadonlySet<string>;
  /** The interfaces that an object type implements in the service. */
  readonly interfaces: ReadonlySet<string>;
  field(name: string): ServiceField | undefined;
}

/** A field of a type in one service. */
export interface ServiceField {
  /** False if the field is external in the service or another service overrides it. */
  readonly isResolvable: boolean;
  /** Whether the field only serves keys and requirements. Clients do not see it in this service. */
  readonly isHidden?: boolean;
  /** The arguments that the field takes in the service. Undefined if they are those of the graph. */
  readonly arguments?: ReadonlySet<string>;
  readonly requires: FieldSet | undefined;
  readonly provides: FieldSet | undefined;
  /** The call that fetches the value of a relationship. */
  readonly call?: RootCall;
  /** The type as SDL. */
  readonly type: string;
  /** The innermost named type. */
  readonly typeName: string;
}

/** A root field through which a service returns objects of a type. */
export interface RootLookup {
  /** The fields of an object that the call needs. All must be non-null. */
  readonly key: FieldSet | undefined;
  readonly call: RootCall;
  /** Whether the root field may also return objects of other types. */
  readonly isAbstract: boolean;
}

/** A call of a root field with arguments that are computed from objects. */
export interface RootCall {
  /**
   * The path from the root to the field that returns the objects, with several steps if that field is in a namespace or
   * nested.
   */
  readonly steps: readonly RootCallStep[];
  /** Whether one call takes many objects and returns a list in the same order. */
  readonly isMany: boolean;
  /** Computes the values of the arguments of each step. @param objects one object, unless the call takes many */
  valuesFor(objects: readonly CallObject[]): readonly Readonly<Record<string, unknown>>[];
}

/** The known fields of an object for which a call is made, by name. */
export type CallObject = Readonly<Record<string, unknown>>;

export interface RootCallStep {
  readonly field: string;
  readonly arguments: readonly RootCallArgument[];
}

export interface RootCallArgument {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Whether the value is the same for all objects. */
  readonly isConstant: boolean;
}

/**
 * The types of a graph, including those hidden from clients, as far as planning and executing operations requires them.
 */
export interface SupergraphTypes {
  /** The names of the services, in the order of the graph. */
  readonly services: readonly string[];
  /** The names of fields that clients do not see in some service. See `ServiceField.isHidden`. */
  readonly hiddenFields: ReadonlySet<string>;
  /** The name of a root type. */
  rootType(operation: OperationTypeNode): string;
  /** An object type, interface or union. Undefined for other types. */
  type(name: string): TypeModel | undefined;
  /** Whether an object of type `typename` satisfies the type condition. */
  isA(typename: string, condition: string): boolean;
  /** Whether the name is that of an interface or union. */
  isAbstract(typename: string): boolean;
  /** The object types of an interface or union. */
  objectsOf(typename: string): readonly string[];
  /** Whether clients do not see a type or a value of an enum. */
  isHidden(type: string, value?: string): boolean;
  /** Whether an enum has values that clients do not see. */
  hidesValues(type: string): boolean;
  /** Whether a service resolves a field without requirements. */
  answers(service: string, type: string, field: string): boolean;
  /** The keys that identify objects of a type, in each service. */
  keysOf(type: string): readonly SubgraphKey[];
  /** The directives of a client's field that services may know. Empty if no service knows any. */
  directivesOf(field: FieldNode): readonly DirectiveNode[];
  /** Whether a service knows a directive of a client's field. */
  knowsDirective(service: string, name: string): boolean;
}

/** A key of an entity in one service, as a set of fields: `id`, `organization { id }`. */
export interface SubgraphKey {
  readonly service: string;
  readonly key: string;
}
