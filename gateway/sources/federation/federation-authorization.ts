import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { accessibleTo, type CallerGrants, type Requirements } from '../../composition/index.ts';
import type { Session } from '../../session/index.ts';
import { ADMIN_ROLE } from '../../session/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import type { FederationEngine } from './engine.ts';

/** What is kept of one operation at most: callers may have any of the rights that it demands. */
const KEPT_VARIANTS: CacheBounds = { entries: 16, weights: [] };

/**
 * Takes the fields out of each operation that its caller is not authorized for, as `@authenticated`, `@requiresScopes`
 * and `@policy` say. They are null in the result, with an error each, and are not fetched.
 */
export function authorizedOperations(
  { compile, compileSubscription }: FederationEngine,
  requirements: Requirements,
  schema: GraphQLSchema,
  publicRole: string,
): FederationEngine {
  if (requirements.size === 0) return { compile, compileSubscription };
  /** Compiles an operation for each caller; undefined where nothing in it is demanded. */
  const variants = <T>(whole: OperationDocument, compileWithout: (refused: ReadonlySet<string>) => T) => {
    const demands = demandsOf(whole.document, requirements, schema);
    if (demands.length === 0) return undefined;
    const kept = new SecondChanceCache<T>(KEPT_VARIANTS);
    return ({ session }: OperationContext): T | undefined => {
      if (session.role === ADMIN_ROLE) return undefined;
      const caller = callerOfSession(session, publicRole);
      const refused = demands.filter((coordinate) => !accessibleTo(caller, requirements.get(coordinate) ?? []));
      if (refused.length === 0) return undefined;
      const key = refused.join(' ');
      const known = kept.get(key);
      if (known) return known;
      const made = compileWithout(new Set(refused));
      kept.keep(key, made);
      return made;
    };
  };
  return {
    compile: (whole) => {
      const compiled = compile(whole);
      const compiledFor = compiled && variants(whole, (refused) => compile(whole, refused));
      if (!compiledFor) return compiled;
      return {
        ...compiled,
        run: (variables, context, done) => (compiledFor(context) ?? compiled).run(variables, context, done),
      };
    },
    compileSubscription: (whole) => {
      const compiled = compileSubscription(whole);
      const compiledFor = compiled && variants(whole, (refused) => compileSubscription(whole, refused));
      if (!compiledFor) return compiled;
      return { open: (variables, context) => (compiledFor(context) ?? compiled).open(variables, context) };
    },
  };
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
