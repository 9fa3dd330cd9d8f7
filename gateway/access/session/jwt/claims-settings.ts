import { z } from 'zod';
import { ALLOWED_ROLES, DEFAULT_ROLE_VARIABLE, fitsHeader, SESSION_VARIABLE_PREFIX } from '../session-variables.ts';
import type { ClaimRule, ClaimsSource } from './claims-source.ts';
import { type JsonPath, parseJsonPath } from './json-path.ts';

const DEFAULT_NAMESPACE = 'https://hasura.io/jwt/claims';

const jsonPath = z.string().transform((text, context): JsonPath => {
  const path = parseJsonPath(text);
  if (path) return path;
  context.addIssue('expected a JSON path such as $.user.id');
  return z.NEVER;
});

const mapped = z.strictObject({ path: jsonPath, default: z.unknown().optional() });

/** `claims_map`: lower-case names of session variables, each with a fixed value or `{ path, default? }`. */
const claimsMap = z.record(z.string(), z.unknown()).transform((entries, context) => {
  const rules = new Map<string, ClaimRule>();
  for (const [written, value] of Object.entries(entries)) {
    const name = written.toLowerCase();
    if (name.startsWith(SESSION_VARIABLE_PREFIX) && fitsHeader(name, '')) addRule(name, value, rules, context);
    else context.addIssue(`${written}: expected the name of a session variable, such as x-hasura-user-id`);
  }
  for (const name of [ALLOWED_ROLES, DEFAULT_ROLE_VARIABLE])
    if (!Object.keys(entries).some((written) => written.toLowerCase() === name))
      context.addIssue(`${name} is expected but not found`);
  return rules;
});

function addRule(name: string, value: unknown, rules: Map<string, ClaimRule>, context: z.RefinementCtx): void {
  const isPath = typeof value === 'object' && value !== null && !Array.isArray(value);
  const rule = isPath ? mapped.safeParse(value) : undefined;
  for (const issue of rule?.error?.issues ?? []) context.addIssue(`${name}: ${issue.message}`);
  const fixed = isPath ? rule?.data?.default : value;
  const expected = (isPath && fixed === undefined) || fitsClaimName(name, fixed) ? undefined : expectedFor(name);
  if (expected) context.addIssue(`${name}: expected ${expected}${isPath ? ' as its default' : ', or a path'}`);
  else if (rule?.data) rules.set(name, { path: rule.data.path, default: rule.data.default });
  else if (!isPath) rules.set(name, { value });
}

function fitsClaimName(name: string, value: unknown): boolean {
  if (name === ALLOWED_ROLES) return Array.isArray(value) && value.every((role) => typeof role === 'string');
  if (name === DEFAULT_ROLE_VARIABLE) return typeof value === 'string' && value !== '';
  return value !== null;
}

function expectedFor(name: string): string {
  if (name === ALLOWED_ROLES) return 'a list of roles';
  return name === DEFAULT_ROLE_VARIABLE ? 'a role' : 'a value';
}

/** The `claims_*` settings of a JWT secret. */
export const claimsSettings = {
  claims_namespace: z.string().min(1).optional(),
  claims_namespace_path: jsonPath.optional(),
  claims_format: z.enum(['json', 'stringified_json']).default('json'),
  claims_map: claimsMap.optional(),
};

/** Contradictory `claims_*` settings, each of which is valid alone. */
export function claimsProblem(settings: { claims_namespace?: unknown; claims_namespace_path?: unknown }) {
  const both = settings.claims_namespace !== undefined && settings.claims_namespace_path !== undefined;
  return both ? 'claims_namespace and claims_namespace_path both cannot be set' : undefined;
}

/** Returns the location of the claims. As in Hasura, a `claims_map` takes precedence over the other settings. */
export function claimsSource(settings: {
  claims_namespace?: string | undefined;
  claims_namespace_path?: JsonPath | undefined;
  claims_format: ClaimsSource['format'];
  claims_map?: ReadonlyMap<string, ClaimRule> | undefined;
}): ClaimsSource {
  const { claims_format: format, claims_map: rules, claims_namespace_path: path } = settings;
  if (rules) return { kind: 'map', rules, format };
  if (path) return { kind: 'path', path, format };
  return { kind: 'namespace', key: settings.claims_namespace ?? DEFAULT_NAMESPACE, format };
}
