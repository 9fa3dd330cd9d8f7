import type { DirectiveNode, FieldNode, GraphQLInputType, OperationTypeNode, SelectionNode } from 'graphql';

/*
 * The model that operations are planned by: which service resolves what of which type, and how it returns an object that another
 * one knows. Supergraphs, stitched services and relationships are translated into it.
 */

/** A set of fields: that of a key, of what a field requires, or of what a field provides. */
export interface FieldSet {
  readonly text: string;
  readonly selections: readonly SelectionNode[];
}

/** An object type, an interface or a union, and what each service has of it. */
export interface TypeModel {
  readonly name: string;
  readonly kind: 'object' | 'interface' | 'union';
  /** The interfaces that it implements anywhere. */
  readonly interfaces: readonly string[];
  /** The services that have it, in the order of the graph. */
  readonly services: readonly string[];
  /** The type of a field in the graph, as SDL. */
  fieldType(field: string): string | undefined;
  /** The name of that type, lists and non-null left out. */
  fieldTypeName(field: string): string | undefined;
  in(service: string): ServiceType | undefined;
  /** The fields of its objects that are root fields of a service, called with arguments from the object; undefined without any. */
  relationships(service: string): ServiceType | undefined;
}

/** A type in one service. */
export interface ServiceType {
  /** An interface that the service has as an object type, `@interfaceObject`. */
  readonly isInterfaceObject: boolean;
  /** The keys by which the service returns its objects as entities. */
  readonly keys: readonly FieldSet[];
  /** The root fields by which it returns them. */
  readonly lookups: readonly RootLookup[];
  /** The keys that its objects have there, those by which it does not return them too. */
  readonly allKeys: readonly string[];
  /** A union's members in the service. */
  readonly unionMembers: ReadonlySet<string>;
  /** The interfaces that an object type implements in the service. */
  readonly interfaces: ReadonlySet<string>;
  field(name: string): ServiceField | undefined;
}

/** A field of a type in one service. */
export interface ServiceField {
  /** False where it is external there, or overridden by another service. */
  readonly isResolvable: boolean;
  /** Whether it is there for keys and requirements alone: clients do not see it in this service. */
  readonly isHidden?: boolean;
  /** The arguments that it takes there; undefined where they are those of the graph. */
  readonly arguments?: ReadonlySet<string>;
  readonly requires: FieldSet | undefined;
  readonly provides: FieldSet | undefined;
  /** How a relationship's value is fetched. */
  readonly call?: RootCall;
  /** As SDL. */
  readonly type: string;
  /** The innermost named type. */
  readonly typeName: string;
}

/** How a service returns objects of a type by a root field. */
export interface RootLookup {
  /** What has to be known of an object, none of it null. */
  readonly key: FieldSet | undefined;
  readonly call: RootCall;
  /** Whether the root field may return objects of other types too. */
  readonly isAbstract: boolean;
}

/** A call of a root field with arguments that are made of objects. */
export interface RootCall {
  /** From the root to the field that returns the objects; several where that is in a namespace, or below other fields. */
  readonly steps: readonly RootCallStep[];
  /** Whether one call takes many objects, and returns a list in their order. */
  readonly isMany: boolean;
  /** The values of the arguments of each step. @param objects one, unless the call takes many */
  valuesFor(objects: readonly CallObject[]): readonly Readonly<Record<string, unknown>>[];
}

/** What is known of an object that a call is made for, by names of fields. */
export type CallObject = Readonly<Record<string, unknown>>;

export interface RootCallStep {
  readonly field: string;
  readonly arguments: readonly RootCallArgument[];
}

export interface RootCallArgument {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Whether its value is the same for all objects. */
  readonly isConstant: boolean;
}

/** The types of a graph, those that clients do not see too, as far as planning and executing operations needs them. */
export interface SupergraphTypes {
  /** The names of the services, in the order of the graph. */
  readonly services: readonly string[];
  /** The names of fields that clients do not see in some service: see `ServiceField.isHidden`. */
  readonly hiddenFields: ReadonlySet<string>;
  /** The name of the type of root fields. */
  rootType(operation: OperationTypeNode): string;
  /** An object type, an interface or a union; undefined for other types. */
  type(name: string): TypeModel | undefined;
  /** Whether an object of type `typename` satisfies the type condition. */
  isA(typename: string, condition: string): boolean;
  /** Whether it is the name of an interface or a union. */
  isAbstract(typename: string): boolean;
  /** The object types of an interface or a union. */
  objectsOf(typename: string): readonly string[];
  /** Whether it is the name of a type, or of a value of an enum, that clients do not see. */
  isHidden(type: string, value?: string): boolean;
  /** Whether an enum has values that clients do not see. */
  hidesValues(type: string): boolean;
  /** Whether a service resolves a field without requirements of others. */
  answers(service: string, type: string, field: string): boolean;
  /** The keys by which objects of a type are known, in each service. */
  keysOf(type: string): readonly SubgraphKey[];
  /** The directives of a client's field that services may know; empty where none does. */
  directivesOf(field: FieldNode): readonly DirectiveNode[];
  /** Whether a service knows a directive of a client's field. */
  knowsDirective(service: string, name: string): boolean;
}

/** A key of an entity in one service, as a set of fields: `id`, `organization { id }`. */
export interface SubgraphKey {
  readonly service: string;
  readonly key: string;
}
