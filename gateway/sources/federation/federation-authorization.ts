import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { accessibleTo, type CallerGrants, type Requirements } from '../../composition/index.ts';
import type { Session } from '../../session/index.ts';
import { ADMIN_ROLE } from '../../session/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';
import { unauthorizedField } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { rejectedResult, resultOfAnswer } from '../planned-operations.ts';
import { failedEvents, mapEvents } from '../source-events.ts';
import type { SourceOperations } from '../transforms/index.ts';
import { type Denied, SelectionFilter, TYPE_KEY } from './selection-filter.ts';

/** What is kept of one operation at most: callers may have any of the rights that it demands. */
const KEPT_VARIANTS: CacheBounds = { entries: 16, weights: [] };

/**
 * Takes the fields out of each operation that its caller is not authorized for, as `@authenticated`, `@requiresScopes`
 * and `@policy` say. They are null in the result, with an error each, and are not fetched.
 */
export function authorizedOperations(
  operations: Required<Pick<SourceOperations, 'compile' | 'compileSubscription'>>,
  requirements: Requirements,
  schema: GraphQLSchema,
  publicRole: string,
): Pick<SourceOperations, 'compile' | 'compileSubscription'> {
  if (requirements.size === 0) return operations;
  const { compile, compileSubscription } = operations;
  /** Compiles what is left of an operation for each caller; undefined where nothing in it is demanded. */
  const variants = <T>(whole: OperationDocument, compileOne: (operation: OperationDocument) => T) => {
    const demands = demandsOf(whole.document, requirements, schema);
    if (demands.length === 0) return undefined;
    const kept = new SecondChanceCache<Allowed<T>>(KEPT_VARIANTS);
    return ({ session }: OperationContext): Allowed<T> | undefined => {
      if (session.role === ADMIN_ROLE) return undefined;
      const caller = callerOfSession(session, publicRole);
      const denied = demands.filter((coordinate) => !accessibleTo(caller, requirements.get(coordinate) ?? []));
      if (denied.length === 0) return undefined;
      const key = denied.join(' ');
      const known = kept.get(key);
      if (known) return known;
      const filtered = new SelectionFilter(whole, schema, new Set(denied)).filtered();
      const made = { denied: filtered.denied, compiled: filtered.rest && compileOne(filtered.rest) };
      kept.keep(key, made);
      return made;
    };
  };
  return {
    compile: (whole) => {
      const allowedFor = variants(whole, compile);
      const compiled = compile(whole);
      if (!allowedFor || !compiled) return compiled;
      return {
        ...compiled,
        run: (variables, context, done) => {
          let allowed: ReturnType<typeof allowedFor>;
          try {
            allowed = allowedFor(context);
          } catch (error) {
            done(rejectedResult(error, context));
            return;
          }
          const { denied } = allowed ?? {};
          if (!allowed || !denied) compiled.run(variables, context, done);
          else if (!allowed.compiled) done(withRefusals({ data: {} }, denied, schema));
          else
            allowed.compiled.run(variables, context, (answer) =>
              done(withRefusals(resultOfAnswer(answer, 'federation'), denied, schema)),
            );
        },
      };
    },
    compileSubscription: (whole) => {
      const allowedFor = variants(whole, compileSubscription);
      const compiled = compileSubscription(whole);
      if (!allowedFor || !compiled) return compiled;
      return {
        open: (variables, context) => {
          const allowed = allowedFor(context);
          if (!allowed) return compiled.open(variables, context);
          if (!allowed.compiled) return failedEvents(withRefusals({ data: {} }, allowed.denied, schema).errors ?? []);
          const events = allowed.compiled.open(variables, context);
          return mapEvents(events, (event) => withRefusals(event, allowed.denied, schema));
        },
      };
    },
  };
}

/** What callers with the same rights may have of an operation. */
interface Allowed<T> {
  readonly denied: readonly Denied[];
  /** Undefined where nothing is left. */
  readonly compiled: T | undefined;
}

/** The fields of an operation that not every caller may have, as `Type.field`. */
function demandsOf(document: DocumentNode, requirements: Requirements, schema: GraphQLSchema): readonly string[] {
  const types = new TypeInfo(schema);
  const found = new Set<string>();
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name }) {
        const coordinate = `${types.getParentType()?.name}.${name.value}`;
        if (requirements.has(coordinate)) found.add(coordinate);
      },
    }),
  );
  return [...found];
}

/**
 * The caller's rights, for the directives. Scopes are the token's `scope` claim and the session variable
 * `x-hasura-scopes`; policies are the role and `x-hasura-policies`.
 */
function callerOfSession({ role, scopes, variables }: Session, publicRole: string): CallerGrants {
  return {
    isAuthenticated: role !== publicRole,
    scopes: new Set([...scopes, ...listedWords(variables['x-hasura-scopes'])]),
    policies: new Set([role, ...listedWords(variables['x-hasura-policies'])]),
  };
}

/** A list in a session variable: words between spaces or commas, or an array as PostgreSQL writes it. */
function listedWords(text = ''): readonly string[] {
  const list = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).replaceAll('"', '') : text;
  return list.split(/[\s,]+/).filter(Boolean);
}

function withRefusals(result: ExecutionResult, denied: readonly Denied[], schema: GraphQLSchema): ExecutionResult {
  const errors: GraphQLError[] = [...(result.errors ?? [])];
  const reportedPlaces = new Set<string>();
  const refuse = (value: unknown, at: readonly (string | number)[], step: number, one: Denied): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) refuse(item, [...at, index], step, one);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const object = value as Record<string, unknown>;
    const isOther = ({ depth, type }: Denied['conditions'][number]) => depth === step && !isOf(object, type, schema);
    if (one.conditions.some(isOther)) return;
    const next = one.path[step];
    if (next !== undefined) {
      refuse(object[next], [...at, next], step + 1, one);
      return;
    }
    // Selected in another place of the operation too, by a type that does not refuse it.
    if (object[one.key] !== undefined && object[one.key] !== null) return;
    object[one.key] = null;
    const path = [...at, one.key];
    const place = JSON.stringify(path);
    if (reportedPlaces.has(place)) return;
    reportedPlaces.add(place);
    errors.push(unauthorizedField(path));
  };
  for (const one of denied) refuse(result.data, [], 0, one);
  return { ...result, errors };
}

function isOf(object: Readonly<Record<string, unknown>>, condition: string, schema: GraphQLSchema): boolean {
  const type = schema.getType(condition);
  const actual = schema.getType(String(object[TYPE_KEY]));
  if (type === actual) return true;
  return isAbstractType(type) && (isObjectType(actual) || isInterfaceType(actual)) && schema.isSubType(type, actual);
}
