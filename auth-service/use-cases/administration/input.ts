import { isUuid } from '../../../platform/index.ts';
import { type ExtraClaims, problemWithClaims, ROLE_NAME } from '../../tokens/index.ts';
import { normalizeUsername } from '../account.ts';
import { isLegible, LEGIBLE } from '../legible-name.ts';
import type { Administrator } from './administrator.ts';
import { invalidClaims, invalidField, missingField, refusal } from './errors.ts';

const MAX_ROLES_OF_USER = 50;

/** The largest `Int` of GraphQL and of the database. */
export const MAX_TENANT_ID = 2 ** 31 - 1;
const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;

/** The most characters of a text that a list is searched by. */
export const MAX_SEARCH_LENGTH = 255;

/** The page of a list. Null and undefined select the default. */
export interface PageInput {
  /** 1 to 200, by default 50. */
  first?: number | null;
  /** `next` of the previous page. */
  after?: string | null;
}

export interface Page<Entry> {
  entries: readonly Entry[];
  /** The value for `after`. Null on the last page. */
  next: string | null;
}

export interface NamedClaim {
  name: string;
  value: string;
}

/**
 * Returns the tenant of an administrator's input. A tenant's administrator may omit it, and learns nothing about other tenants,
 * not even whether they exist.
 */
export function readTenantId(administrator: Administrator, tenantId: number | null | undefined): number {
  if (administrator.kind === 'platform') {
    if (tenantId == null) throw missingField('tenant_id');
    return tenantId;
  }
  if (tenantId != null && tenantId !== administrator.tenantId) throw refusal('unknown-tenant');
  return administrator.tenantId;
}

/** An id in another format belongs to no user. */
export function readUserId(userId: string | null | undefined): string {
  if (userId == null) throw missingField('user_id');
  if (!isUuid(userId)) throw refusal('unknown-user');
  return userId.toLowerCase();
}

/** Returns a possible name of a user. */
export function readUsername(username: string | null | undefined): string {
  if (username == null) throw missingField('username');
  const normalized = normalizeUsername(username);
  if (!normalized) throw invalidField('username', 'a name of 1 to 255 characters');
  return normalized;
}

/** Returns the name of a new user. Existing names may be less legible, and imported ones come from other systems. */
export function readNewUsername(given: string | null | undefined): string {
  const username = readUsername(given);
  if (!isLegible(username)) throw invalidField('username', `a name ${LEGIBLE}`);
  return username;
}

export interface RoleSet {
  allowedRoles: readonly string[];
  defaultRole: string;
}

/** Returns at least one role. The first one is the default unless another is named. */
export function readRoleSet(
  roles: readonly string[] | null | undefined,
  defaultRole: string | null | undefined,
): RoleSet {
  if (roles == null) throw missingField('roles');
  const allowedRoles = readRoles('roles', roles);
  const [first] = allowedRoles;
  if (first === undefined) throw invalidField('roles', `1 to ${MAX_ROLES_OF_USER} roles`);
  if (defaultRole != null && !allowedRoles.includes(defaultRole))
    throw invalidField('default_role', 'one of the roles');
  return { allowedRoles, defaultRole: defaultRole ?? first };
}

export function readRoles(field: string, roles: readonly string[]): readonly string[] {
  const names = [...new Set(roles)];
  if (names.length > MAX_ROLES_OF_USER) throw invalidField(field, `at most ${MAX_ROLES_OF_USER} roles`);
  if (!names.every((role) => ROLE_NAME.test(role)))
    throw invalidField(field, 'names of letters, digits and _ . : -, of at most 64 characters');
  return names;
}

const MAX_CLAIM_NAMES = 16;

/** Names of extra claims. */
export function readClaimNames(names: readonly string[]): readonly string[] {
  const distinct = [...new Set(names)];
  if (distinct.length > MAX_CLAIM_NAMES) throw invalidField('claims', `at most ${MAX_CLAIM_NAMES} names`);
  const problem = problemWithClaims(Object.fromEntries(distinct.map((name) => [name, ''])));
  if (problem) throw invalidClaims(problem);
  return distinct;
}

/** RFC 6749, section 3.3. */
const SCOPE_NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
const MAX_SCOPES = 50;

export function readScopes(scopes: readonly string[]): readonly string[] {
  const names = [...new Set(scopes)];
  if (names.length > MAX_SCOPES || !names.every((scope) => SCOPE_NAME.test(scope)))
    throw invalidField('scopes', `at most ${MAX_SCOPES} scopes such as orders:read`);
  return names;
}

export function readExtraClaims(claims: readonly NamedClaim[] | null | undefined): ExtraClaims {
  if (claims == null) throw missingField('claims');
  const set: Record<string, string> = Object.create(null);
  for (const { name, value } of claims) {
    if (name in set) throw invalidField('claims', 'each name once');
    set[name] = value;
  }
  const problem = problemWithClaims(set);
  if (problem) throw invalidClaims(problem);
  return { ...set };
}

export function readPageSize(first: number | null | undefined): number {
  if (first == null) return DEFAULT_PAGE;
  if (first < 1 || first > MAX_PAGE) throw invalidField('first', `1 to ${MAX_PAGE}`);
  return first;
}

/** Returns a page of rows that were read with one more than the page size, which shows whether there is a next page. */
export function pageOf<Row, Entry>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => string,
  entryOf: (row: Row) => Entry,
): Page<Entry> {
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  return { entries: shown.map(entryOf), next: last === undefined ? null : cursorOf(last) };
}

/** Encodes a place in a list. A cursor is neither a secret nor a right: it contains the text by which the list is sorted. */
export function encodeCursor(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

/** A row of a list with the newest row first. */
interface DatedRow {
  readonly createdAt: Date;
  readonly id: string;
}

/** Returns a place in a list by time, and by id among rows of the same time. */
export function timeCursor({ createdAt, id }: DatedRow): string {
  return encodeCursor(`${createdAt.getTime()} ${id}`);
}

const TIME_CURSOR = /^(?<time>\d{1,14}) (?<id>[0-9a-f-]{36})$/;

export function readTimeCursor(cursor: string | null | undefined): DatedRow | undefined {
  const text = decodeCursor(cursor);
  if (text === undefined) return undefined;
  const { time = '', id = '' } = TIME_CURSOR.exec(text)?.groups ?? {};
  if (!isUuid(id)) throw invalidField('after', 'next of the page before');
  return { createdAt: new Date(Number(time)), id };
}

/**
 * Returns the condition for the rows behind a cursor, in a list with the newest row first. Without a cursor, it selects all
 * rows.
 */
export function olderThan(after: DatedRow | undefined) {
  if (!after) return {};
  const { createdAt, id } = after;
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}

const MAX_CURSOR_LENGTH = 2_000;

/** @throws AdministrationError for a text that `encodeCursor` cannot have created. */
export function decodeCursor(cursor: string | null | undefined): string | undefined {
  if (cursor == null) return undefined;
  const text = cursor.length > MAX_CURSOR_LENGTH ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  if (text === '' || text.includes('\0') || encodeCursor(text) !== cursor)
    throw invalidField('after', 'next of the page before');
  return text;
}
