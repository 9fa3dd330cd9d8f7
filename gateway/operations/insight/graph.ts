import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import type { Sliced } from '../../../platform/index.ts';
import type { Generation, RoleGraph } from '../../graph/index.ts';
import { rootTypeNameIn } from '../../graphql/schemas/index.ts';
import type { Source, Subschema } from '../../sources/index.ts';
import { type Bounded, bounded } from './page.ts';

/** The most fields that are listed of one type, and of all types of a response. */
const MAX_TYPE_FIELDS = 500;
const MAX_FIELDS_OF_ALL = 5_000;
/** The most joins that are listed of one type. */
const MAX_JOINS = 50;
/** The most characters of a description. */
const MAX_DESCRIPTION = 500;

/** A type in a role's view, with its sources. */
export interface TypeInsight {
  readonly name: string;
  readonly kind: 'object' | 'interface' | 'union' | 'enum' | 'input' | 'scalar';
  readonly description: string | null;
  readonly sources: readonly string[];
  /** How objects of several sources are joined. */
  readonly joins: readonly Join[];
  readonly fields: Bounded<FieldInsight>;
}

export interface Join {
  readonly source: string;
  /** The fields that identify an object, as a selection. */
  readonly key: string;
}

export interface FieldInsight {
  readonly name: string;
  readonly type: string;
  /** The sources that can each resolve the field alone. Empty for a value of an enum or a member of a union. */
  readonly sources: readonly string[];
  /** Whether sessions must meet a condition to select the field. */
  readonly conditional: boolean;
  /** Set if a relationship of the metadata or an action resolves the field. */
  readonly relationship: { readonly target: string; readonly fields: readonly string[] } | null;
}

/** The part of a source that a role sees. */
interface VisibleSource {
  readonly source: Source;
  readonly subschema: Subschema;
}

/** The graph of one role, by source. */
export class GraphOfRole {
  readonly #graph: RoleGraph;
  readonly #generation: Generation;
  readonly #parts: readonly VisibleSource[];

  /** @throws GatewayError if the role's view is not a valid schema. */
  constructor(generation: Generation, role: string) {
    this.#graph = generation.graphOf(role);
    this.#generation = generation;
    this.#parts = generation.sources.flatMap((source) => {
      const subschema = source.subschemaFor(role);
      return subschema ? [{ source, subschema }] : [];
    });
  }

  /**
   * Returns the names of types with a part of a source, or whose name or fields contain a text. Returns all names if both
   * arguments are absent.
   */
  *typeNames(source: string | undefined, search: string | undefined): Sliced<readonly string[]> {
    const wanted = search?.toLowerCase();
    const found: string[] = [];
    for (const type of Object.values(this.#graph.schema.getTypeMap())) {
      yield;
      if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
      if (wanted !== undefined && !namesOfType(type).some((name) => name.toLowerCase().includes(wanted))) continue;
      if (source === undefined || this.#hasOf(type, source)) found.push(type.name);
    }
    return found.sort();
  }

  describe(names: readonly string[]): readonly TypeInsight[] {
    let left = MAX_FIELDS_OF_ALL;
    return names.flatMap((name): readonly TypeInsight[] => {
      const type = this.#graph.schema.getType(name);
      if (!type) return [];
      const described = this.#describe(type, Math.min(left, MAX_TYPE_FIELDS));
      left -= described.fields.items.length;
      return [described];
    });
  }

  #describe(type: GraphQLNamedType, maxFields: number): TypeInsight {
    const { name } = type;
    const kind = typeKind(type);
    const { items, omitted } = bounded(membersOf(type), maxFields);
    const fields = items.map((field): FieldInsight => {
      const relationship = this.#relationship(name, field.name);
      const hasSources = kind === 'object' || kind === 'interface';
      const sources = relationship ? [relationship.target] : hasSources ? this.#sourcesOf(type, field.name) : [];
      const conditional = this.#graph.sessionConditions?.has(`${name}.${field.name}`) ?? false;
      return { ...field, sources, conditional, relationship };
    });
    return {
      name,
      kind,
      description: shortDescription(type.description),
      sources: this.#sourcesOfType(type),
      joins: this.#joins(type),
      fields: { items: fields, omitted },
    };
  }

  #hasOf(type: GraphQLNamedType, source: string): boolean {
    if (this.#sourcesOfType(type).includes(source)) return true;
    return fieldNames(type).some((field) => this.#sourcesOf(type, field).includes(source));
  }

  #sourcesOfType(type: GraphQLNamedType): readonly string[] {
    const names = fieldNames(type);
    if (names.length > 0) {
      const found = new Set<string>();
      for (const name of names) for (const source of this.#sourcesOf(type, name)) found.add(source);
      return [...found];
    }
    const internal = this.#internalName(type);
    return this.#parts.flatMap(({ source, subschema }) => (visible(subschema).getType(internal) ? [source.name] : []));
  }

  #sourcesOf(type: GraphQLNamedType, field: string): readonly string[] {
    const internal = this.#internalName(type);
    return this.#parts.flatMap(({ source, subschema }): readonly string[] => {
      const own = visible(subschema).getType(internal);
      if (!(isObjectType(own) || isInterfaceType(own)) || !own.getFields()[field]) return [];
      // If types are renamed, the services cannot be determined.
      const services = isRenamed(subschema) ? [] : (source.ownership?.servicesOf(internal, field) ?? []);
      return services.length > 0 ? services : [source.name];
    });
  }

  #joins(type: GraphQLNamedType): readonly Join[] {
    const internal = this.#internalName(type);
    const joins = this.#parts.flatMap(({ source, subschema }): readonly Join[] => {
      if (!visible(subschema).getType(internal)) return [];
      const { key: own, lookups = [] } = subschema.joins?.get(internal) ?? {};
      const named = [own, ...lookups.map(({ key }) => key)].filter((key) => key !== undefined && key !== '');
      const keys = [...new Set(named)];
      const ofServices = isRenamed(subschema) ? [] : (source.ownership?.keysOf(internal) ?? []);
      return [
        ...keys.map((key) => ({ source: source.name, key: `{ ${key} }` })),
        ...ofServices.map(({ service, key }) => ({ source: service, key: `{ ${key} }` })),
      ];
    });
    return joins.slice(0, MAX_JOINS);
  }

  #relationship(type: string, field: string): FieldInsight['relationship'] {
    const { relationships, actionTypes } = this.#generation.metadata;
    const found = relationships.find((one) => one.type === type && one.name === field);
    if (found) return { target: found.target, fields: found.fields };
    for (const [action, { type: of, name, key }] of actionTypes.typeFields)
      if (of === type && name === field) return { target: action, fields: key.map((one) => one.name) };
    return null;
  }

  /** Root types may have other names for clients. */
  #internalName({ name }: GraphQLNamedType): string {
    const { schema, internal } = this.#graph;
    if (schema === internal) return name;
    return rootTypeNameIn(name, schema, internal) ?? name;
  }
}

function visible({ schema, visible: shown = schema }: Subschema) {
  return shown;
}

function isRenamed({ customized }: Subschema): boolean {
  return customized !== undefined && (customized.types.size > 0 || customized.fields.size > 0);
}

function typeKind(type: GraphQLNamedType): TypeInsight['kind'] {
  if (isObjectType(type)) return 'object';
  if (isInterfaceType(type)) return 'interface';
  if (isUnionType(type)) return 'union';
  if (isEnumType(type)) return 'enum';
  return isInputObjectType(type) ? 'input' : 'scalar';
}

function membersOf(type: GraphQLNamedType): readonly { readonly name: string; readonly type: string }[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => ({ name: field.name, type: String(field.type) }));
  if (isUnionType(type)) return type.getTypes().map(({ name }) => ({ name, type: name }));
  return isEnumType(type) ? type.getValues().map(({ name }) => ({ name, type: type.name })) : [];
}

function fieldNames(type: GraphQLNamedType): readonly string[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
}

function namesOfType(type: GraphQLNamedType): readonly string[] {
  return [type.name, ...membersOf(type).map(({ name }) => name)];
}

function shortDescription(text: string | null | undefined): string | null {
  if (!text) return null;
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
}
