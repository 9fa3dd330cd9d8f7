import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, isSelectionIncluded, type Variables } from '../../graphql/syntax/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { NAMESPACED_KEY, ROOT_KEY, responseKey, type SingleNamespace, type TypeNameKeys } from './namespace.ts';

/** Wraps the results of a source in the namespace of its root fields. */
export interface NamespaceWrapping {
  /** Wraps a response body that contains only data. Returns undefined if the body has to be parsed. */
  wrapBody?(body: PassthroughBody): PassthroughBody;
  /** The whole response if the source need not be called. */
  readonly constant?: PassthroughBody;
  wrap(result: ExecutionResult, variables: Variables): ExecutionResult;
}

/** The names of the root type and the namespace type in the graph. */
export interface WrappingTypes {
  readonly root: string;
  readonly namespace: string;
}

const DATA = '{"data":'.length;

export function wrapSingle(single: SingleNamespace, types: WrappingTypes): NamespaceWrapping {
  const { key, outside, inside } = single;
  const member = (type: string) => (one: string) => `${JSON.stringify(one)}:${JSON.stringify(type)}`;
  const [outer, inner] = [member(types.root), member(types.namespace)];
  const hasInside = inside.before.length + inside.after.length > 0;
  const begin = `{"data":{${outside.before.map((one) => `${outer(one)},`).join('')}${JSON.stringify(key)}:`;
  const end = `${outside.after.map((one) => `,${outer(one)}`).join('')}}}`;
  const [beginBytes, endBytes] = [Buffer.from(begin), Buffer.from(end)];
  const first = inside.before.map(inner).join();
  const last = inside.after.map(inner).join();
  const beginInside = Buffer.from(`${begin}{${first && `${first},`}`);
  const endInside = Buffer.from(`${last && `,${last}`}}${end}`);
  const onlyInside = Buffer.from(`${begin}{${[first, last].filter(Boolean).join()}}${end}`);
  return {
    ...(single.isEmpty && { constant: new PassthroughBody([onlyInside]) }),
    wrapBody: ({ chunks }) => {
      if (!hasInside) return new PassthroughBody([beginBytes, ...trimmed(chunks, DATA, 1), endBytes]);
      const members = trimmed(chunks, DATA + 1, 2);
      // A response without quotation marks has no members.
      const isBlank = members.every((chunk) => !chunk.includes('"'));
      return new PassthroughBody(isBlank ? [onlyInside] : [beginInside, ...members, endInside]);
    },
    wrap: (result) => {
      const { data } = result;
      const errors = relocated(result, (path) => [key, ...path]);
      // The source rejected the whole operation.
      if (!data && errors.every(({ path }) => path === undefined)) return { ...result, errors };
      const inner = data && {
        ...named(inside.before, types.namespace),
        ...data,
        ...named(inside.after, types.namespace),
      };
      const wrapped = withoutPrototype([
        ...Object.entries(named(outside.before, types.root)),
        [key, inner ?? null],
        ...Object.entries(named(outside.after, types.root)),
      ]);
      return { ...result, data: wrapped, ...(errors.length > 0 && { errors }) };
    },
  };
}

/** @param keys the response keys of the namespace by number. */
export function wrapSeveral(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  keys: readonly string[],
  types: WrappingTypes,
): NamespaceWrapping {
  const wrapPath = ([first, ...rest]: readonly (string | number)[]): readonly (string | number)[] => {
    const [, index, name] = NAMESPACED_KEY.exec(String(first)) ?? [];
    return index === undefined || name === undefined
      ? [first ?? '', ...rest]
      : [keys[Number(index)] ?? '', name, ...rest];
  };
  return {
    wrap: (result, variables) => {
      const errors = relocated(result, wrapPath);
      if (!result.data && errors.every(({ path }) => path === undefined)) return { ...result, errors };
      const data = result.data
        ? wrapData(result.data, keys, types)
        : nothingIn(document, operation, variables, types.root);
      return { ...result, data, ...(errors.length > 0 && { errors }) };
    },
  };
}

function wrapData(
  data: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  types: WrappingTypes,
): Record<string, unknown> {
  const wrapped: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    const [, ofRoot] = ROOT_KEY.exec(key) ?? [];
    const [, index, name] = NAMESPACED_KEY.exec(key) ?? [];
    if (ofRoot !== undefined) wrapped[ofRoot] = types.root;
    else if (index !== undefined) {
      const namespace = keys[Number(index)] ?? '';
      const inside = (wrapped[namespace] ?? Object.create(null)) as Record<string, unknown>;
      if (name !== undefined) inside[name] = value;
      wrapped[namespace] = inside;
    }
  }
  return wrapped;
}

/** Builds data in which each namespace is null. Used if a non-null field in a namespace is null. */
function nothingIn(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  root: string,
): Record<string, unknown> {
  const fragments = fragmentsOf(document);
  const data: Record<string, unknown> = Object.create(null);
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isSelectionIncluded(selection, operation, variables)) continue;
      if (selection.kind === Kind.FIELD)
        data[responseKey(selection)] = selection.name.value === '__typename' ? root : null;
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return data;
}

function named(keys: TypeNameKeys, type: string): Record<string, unknown> {
  return withoutPrototype(keys.map((key) => [key, type]));
}

/** Creates the object without a prototype, since a client may name a response key `__proto__` or `constructor`. */
function withoutPrototype(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of members) object[key] = value;
  return object;
}

function relocated(
  { errors = [] }: ExecutionResult,
  wrapPath: (path: readonly (string | number)[]) => readonly (string | number)[],
): readonly GraphQLError[] {
  return errors.map((error) => {
    if (!error.path) return error;
    const { message, path, extensions, originalError } = error;
    return new GraphQLError(message, { path: wrapPath(path), extensions, originalError });
  });
}

/** Cuts the first and the last bytes off a body. */
function trimmed(chunks: readonly Buffer[], first: number, last: number): readonly Buffer[] {
  const kept = chunks.slice();
  if (kept[0]) kept[0] = kept[0].subarray(first);
  const end = kept.at(-1);
  if (end) kept[kept.length - 1] = end.subarray(0, end.length - last);
  return kept;
}
