import type { ComponentType } from 'preact';
import type { IconName } from '../parts/index.ts';
import { ADMINISTRATOR_ROLES, OPERATOR_ROLES } from '../session/index.ts';
import { account, administrationPages, explorer, graph, metadata, rest, schemaPage, sources } from '../texts/index.ts';
import { settings } from './console-settings.ts';

/** A page of the console. */
export interface ConsolePage {
  /** Its address below the console; below it are its own. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly group: 'build' | 'plugIn' | 'administer' | 'you';
  /**
   * Whether a caller with this role, who may take the allowed ones, is shown the way there; for all when absent. What they may
   * do, the gateway and the services decide.
   */
  readonly isFor?: (role: string, allowed: readonly string[]) => boolean;
  /** In place of `isFor`: the roles, which the page names to visitors with another one. */
  readonly roles?: () => readonly string[];
  /** Its code, which is loaded when it is opened. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Roles whose commands the gateway runs on the pages that look into it. */
const insightRoles = () => ['admin', ...settings.value.insightRoles];

/** @param allowed the roles that the caller may take. */
export function isShown({ isFor, roles }: ConsolePage, role: string, allowed: readonly string[]): boolean {
  return (isFor?.(role, allowed) ?? true) && (roles?.().includes(role) ?? true);
}

/** Also for those who would have to take another of their roles first, which the page offers. */
const isForRoles =
  (roles: ReadonlySet<string>): NonNullable<ConsolePage['isFor']> =>
  (role, allowed) =>
    role === 'admin' || [role, ...allowed].some((name) => roles.has(name));
const isForAdministrator = isForRoles(ADMINISTRATOR_ROLES);
const isForOperator = isForRoles(OPERATOR_ROLES);
const isForLookersAtJobs: NonNullable<ConsolePage['isFor']> = (role, allowed) =>
  settings.value.hasJobs && (isForOperator(role, allowed) || insightRoles().includes(role));

/** All pages, in the order of the navigation. The first one is opened at the console's own address. */
export const PAGES: readonly ConsolePage[] = [
  {
    path: 'explorer',
    icon: 'terminal',
    title: explorer.title,
    group: 'build',
    load: () => import('../pages/explorer/index.ts'),
  },
  { path: 'rest', icon: 'arrows', title: rest.title, group: 'build', load: () => import('../pages/rest/index.ts') },
  {
    path: 'schema',
    icon: 'code',
    title: schemaPage.title,
    group: 'build',
    load: () => import('../pages/schema/index.ts'),
  },
  {
    path: 'account',
    icon: 'person',
    title: account.title,
    group: 'you',
    load: () => import('../pages/account/index.ts'),
  },
  {
    path: 'sources',
    icon: 'stack',
    title: sources.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/sources/index.ts'),
  },
  {
    path: 'graph',
    icon: 'nodes',
    title: graph.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/graph/index.ts'),
  },
  {
    path: 'metadata',
    icon: 'file',
    title: metadata.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/metadata/index.ts'),
  },
  {
    path: 'users',
    icon: 'people',
    title: administrationPages.users,
    group: 'administer',
    isFor: isForAdministrator,
    load: () => import('../pages/users/index.ts'),
  },
  {
    path: 'clients',
    icon: 'plug',
    title: administrationPages.clients,
    group: 'administer',
    isFor: isForAdministrator,
    load: () => import('../pages/clients/index.ts'),
  },
  {
    path: 'throttled',
    icon: 'lock',
    title: administrationPages.throttled,
    group: 'administer',
    isFor: isForAdministrator,
    load: () => import('../pages/throttled/index.ts'),
  },
  {
    path: 'audit',
    icon: 'list',
    title: administrationPages.audit,
    group: 'administer',
    isFor: isForAdministrator,
    load: () => import('../pages/audit/index.ts'),
  },
  {
    path: 'tenants',
    icon: 'building',
    title: administrationPages.tenants,
    group: 'administer',
    isFor: isForAdministrator,
    load: () => import('../pages/tenants/index.ts'),
  },
  {
    path: 'keys',
    icon: 'key',
    title: administrationPages.keys,
    group: 'administer',
    isFor: isForOperator,
    load: () => import('../pages/keys/index.ts'),
  },
  {
    path: 'jobs',
    icon: 'clock',
    title: administrationPages.jobs,
    group: 'administer',
    isFor: isForLookersAtJobs,
    load: () => import('../pages/jobs/index.ts'),
  },
];
