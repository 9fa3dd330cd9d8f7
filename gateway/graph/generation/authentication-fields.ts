import { getNamedType, isObjectType, OperationTypeNode } from 'graphql';
import { closest } from '../../../platform/index.ts';
import type { Metadata, MetadataLocation } from '../../metadata/index.ts';
import type { CustomizedSchema, Source, Subschema } from '../../sources/index.ts';
import type { AwaitedSources } from './awaited-sources.ts';
import { findSource } from './find-source.ts';

/** An authentication field in the metadata that the public role may not access. */
export interface AuthenticationFieldProblem {
  /** The remote schema or action whose metadata names the field. */
  readonly source: string;
  readonly place: MetadataLocation;
  readonly message: string;
}

/** The inputs of `AuthenticationFields`. */
export interface AuthenticationFieldsParts {
  readonly metadata: Metadata;
  readonly sources: readonly Source[];
  readonly publicRole: string;
  /** Sources whose schemas are still unknown. */
  readonly awaited?: AwaitedSources | undefined;
}

/**
 * The authentication fields of a generation (login, refresh, logout). These are root fields that the metadata marks, in
 * the graph's names. The fields of a source with a namespace are one level deeper.
 */
export class AuthenticationFields {
  /** Marked fields that cannot be authentication fields. Fields of missing sources are not checked. */
  readonly problems: readonly AuthenticationFieldProblem[];
  readonly #fields = new Set<string>();
  readonly #namespaces = new Set<string>();

  constructor({ metadata, sources, publicRole, awaited }: AuthenticationFieldsParts) {
    this.problems = marked(metadata).flatMap(({ remote, name, source, place }) => {
      const found = findSource(sources, remote);
      const promised = found || remote === undefined ? undefined : awaited?.promisedToThePublic(remote);
      const granted = grantedFields(found ? found.subschemaFor(publicRole) : promisedPart(promised));
      const meant = granted.filter((field) => field.ownName === name);
      for (const { operation, path } of meant) this.#add(operation, path);
      if (!found) return [];
      return meant.length > 0 ? [] : [{ source, place, message: notGranted(name, publicRole, found, granted) }];
    });
  }

  /** Whether a root field or a field of a namespace is an authentication field. */
  has(operation: OperationTypeNode, ...path: readonly string[]): boolean {
    return this.#fields.has(coordinate(operation, path));
  }

  /** Whether a root field is a namespace that contains authentication fields. */
  hasNamespace(operation: OperationTypeNode, name: string): boolean {
    return this.#namespaces.size > 0 && this.#namespaces.has(coordinate(operation, [name]));
  }

  /** Names such as `mutation auth_user_login`, or `mutation accounts.login` in a namespace. */
  get names(): readonly string[] {
    return [...this.#fields];
  }

  #add(operation: OperationTypeNode, path: readonly string[]): void {
    this.#fields.add(coordinate(operation, path));
    if (path.length > 1) this.#namespaces.add(coordinate(operation, path.slice(0, 1)));
  }
}

/** A public root field that is named like an authentication field but is not marked either way in the metadata. */
export interface UnmarkedField {
  readonly source: string;
  readonly message: string;
}

/**
 * Finds public fields whose names suggest a login, refresh or logout, in sources whose metadata lacks the key. Such
 * metadata predates the key or was written for Hasura.
 */
export function unmarkedAuthenticationFields(parts: AuthenticationFieldsParts): readonly UnmarkedField[] {
  const { metadata, sources, publicRole } = parts;
  const unsaid = new Set(
    metadata.actions.actions.flatMap(({ name, definition }) => (definition.authentication_field == null ? [name] : [])),
  );
  const says = (remote: string) =>
    metadata.remoteSchemas.some(({ name, definition }) => name === remote && definition.authentication_fields != null);
  return sources.flatMap((source) => {
    const { name, kind, members = [name] } = source;
    if (kind !== 'actions' && members.some(says)) return [];
    return grantedFields(source.subschemaFor(publicRole)).flatMap(({ ownName }) => {
      if (!looksLikeAuthentication(ownName) || (kind === 'actions' && !unsaid.has(ownName))) return [];
      const key = kind === 'actions' ? 'authentication_field: true' : `authentication_fields: [${ownName}]`;
      const message = `"${ownName}" is granted to the role "${publicRole}" and looks like an authentication field. Set "${key}" in its definition to make it one; otherwise, requests with an expired token are rejected`;
      return [{ source: kind === 'actions' ? ownName : name, message }];
    });
  });
}

interface MarkedField {
  /** Undefined for an action. */
  readonly remote: string | undefined;
  /** The field's own name. */
  readonly name: string;
  readonly source: string;
  readonly place: MetadataLocation;
}

function marked(metadata: Metadata): readonly MarkedField[] {
  const ofRemotes = metadata.remoteSchemas.flatMap(({ name: remote, definition }, index) =>
    (definition.authentication_fields ?? []).map((name, position) => {
      const place = metadata.place('remoteSchemas', [index, 'definition', 'authentication_fields', position]);
      return { remote, name, source: remote, place };
    }),
  );
  const ofActions = metadata.actions.actions.flatMap(({ name, definition }, index) => {
    const place = metadata.place('actions', ['actions', index, 'definition', 'authentication_field']);
    return definition.authentication_field ? [{ remote: undefined, name, source: name, place }] : [];
  });
  return [...ofRemotes, ...ofActions];
}

interface GrantedField {
  readonly operation: OperationTypeNode;
  /** The path in the graph's names, starting with the namespace if there is one. */
  readonly path: readonly string[];
  /** The field's name in the source. */
  readonly ownName: string;
}

type VisiblePart = Pick<Subschema, 'schema' | 'visible' | 'customized'>;

function promisedPart(customized: CustomizedSchema | undefined): VisiblePart | undefined {
  return customized && { schema: customized.schema, customized };
}

function grantedFields(part: VisiblePart | undefined): readonly GrantedField[] {
  if (!part) return [];
  const { schema, visible = schema, customized } = part;
  const namespace = customized?.namespace;
  return [OperationTypeNode.QUERY, OperationTypeNode.MUTATION].flatMap((operation) => {
    const root = visible.getRootType(operation);
    const holder = namespace === undefined ? root : getNamedType(root?.getFields()[namespace]?.type);
    if (!isObjectType(holder)) return [];
    return Object.keys(holder.getFields()).map((name) => ({
      operation,
      path: namespace === undefined ? [name] : [namespace, name],
      ownName: customized?.fields.get(`${holder.name}.${name}`) ?? name,
    }));
  });
}

function notGranted(name: string, publicRole: string, source: Source, granted: readonly GrantedField[]): string {
  const what = `the authentication field "${name}"`;
  if (source.upstream.getQueryType()?.getFields()[name] || source.upstream.getMutationType()?.getFields()[name])
    return `${what} is not granted to the role "${publicRole}", which callers without a token have`;
  const names = granted.map(({ ownName }) => ownName);
  const guess = closest(name, names);
  if (guess !== undefined) return `${what} is not a query or mutation: did you mean "${guess}"?`;
  const known = names.length > 0 ? `: the role "${publicRole}" is granted ${names.join(', ')}` : '';
  return `${what} is not a query or mutation${known}`;
}

const AUTHENTICATION = /^(log|sign)_?(in|on|out|off|up)$|^authenticate$/;

function looksLikeAuthentication(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  const pairs = words.slice(1).map((word, index) => `${words[index]}_${word}`);
  if ([...words, ...pairs].some((word) => AUTHENTICATION.test(word))) return true;
  return words.includes('refresh') && words.some((word) => /^(token|session|auth)$/.test(word));
}

function coordinate(operation: OperationTypeNode, path: readonly string[]): string {
  return `${operation} ${path.join('.')}`;
}
