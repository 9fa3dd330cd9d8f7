import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import type { Session } from '../../access/session/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { accessibleTo, type CallerGrants, type Requirements } from '../../planning/composition/index.ts';
import type { Refusal } from '../../planning/joins/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';
import { unauthorizedField } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { rejectedResult } from '../planned-operations.ts';
import { failedEvents } from '../source-events.ts';
import type { FederationEngine } from './engine.ts';
import { SelectionFilter } from './selection-filter.ts';

/** The maximum number of compiled variants of one operation. Each combination of missing rights needs a variant. */
const KEPT_VARIANTS: CacheBounds = { entries: 16, weights: [] };

/**
 * Removes fields from each operation that its client is not authorized for, as `@authenticated`, `@requiresScopes` and
 * `@policy` demand. These fields are not fetched. Each is null in the result and has an error.
 */
export function authorizedOperations(
  engine: FederationEngine,
  requirements: Requirements,
  schema: GraphQLSchema,
  publicRole: string,
): FederationEngine {
  if (requirements.size === 0) return engine;
  /**
   * Compiles the rest of an operation for each set of rights. Undefined if no field of the operation demands rights.
   */
  const variants = <T>(whole: OperationDocument, compileOne: (refusal: Refusal) => T) => {
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
      const refusal = new SelectionFilter(whole, schema, new Set(denied)).refusal();
      const made = { refusal, compiled: compileOne(refusal) };
      kept.keep(key, made);
      return made;
    };
  };
  return {
    compile: (whole) => {
      const allowedFor = variants(whole, (refusal) => engine.compile(whole, refusal));
      const compiled = engine.compile(whole);
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
          const own = allowed ? allowed.compiled : compiled;
          if (own) own.run(variables, context, done);
          else done(rejectedResult(new TypeError('an operation without a part for its caller'), context));
        },
      };
    },
    compileSubscription: (whole) => {
      const allowedFor = variants(whole, (refusal) => refusal.rest && engine.compileSubscription(whole, refusal));
      const compiled = engine.compileSubscription(whole);
      if (!allowedFor || !compiled) return compiled;
      return {
        open: (variables, context) => {
          const allowed = allowedFor(context);
          if (!allowed) return compiled.open(variables, context);
          if (allowed.compiled) return allowed.compiled.open(variables, context);
          return failedEvents(
            [...allowed.refusal.fields].map(({ alias, name }) => unauthorizedField([(alias ?? name).value])),
          );
        },
      };
    },
  };
}

/** The part of an operation that clients with the same rights may access. */
interface Allowed<T> {
  readonly refusal: Refusal;
  readonly compiled: T;
}

/** The fields of an operation that demand rights, as `Type.field`. */
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
 * Returns the client's rights as the directives define them. Scopes come from the token's `scope` claim and the session
 * variable `x-hasura-scopes`. Policies are the role and the words of `x-hasura-policies`.
 */
function callerOfSession({ role, scopes, variables }: Session, publicRole: string): CallerGrants {
  return {
    isAuthenticated: role !== publicRole,
    scopes: new Set([...scopes, ...listedWords(variables['x-hasura-scopes'])]),
    policies: new Set([role, ...listedWords(variables['x-hasura-policies'])]),
  };
}

/** Splits a list in a session variable: words separated by spaces or commas, or a PostgreSQL array. */
function listedWords(text = ''): readonly string[] {
  const list = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).replaceAll('"', '') : text;
  return list.split(/[\s,]+/).filter(Boolean);
}
