import type { ComponentType } from 'preact';
import { account, explorer, graph, metadata, rest, schemaPage, sources } from '../texts/index.ts';
import { settings } from './console-settings.ts';

/** A page of the console. */
export interface Page {
  /** Its address below the console; below it are its own. */
  readonly path: string;
  readonly title: string;
  readonly group: 'build' | 'plugIn' | 'administer' | 'you';
  /** Whether a caller with this role is shown the way there; for all when absent. What they may do, the gateway decides. */
  readonly isFor?: (role: string) => boolean;
  /** In its place the roles, which those are told who have come all the same. */
  readonly roles?: () => readonly string[];
  /** Its code, which is loaded when it is opened. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Roles whose commands the gateway runs on the pages that look into it. */
const insightRoles = () => ['admin', ...settings.value.insightRoles];

export function isShown({ isFor, roles }: Page, role: string): boolean {
  return (isFor?.(role) ?? true) && (roles?.().includes(role) ?? true);
}

/** All pages, in the order of the navigation. The first one is opened at the console's own address. */
export const PAGES: readonly Page[] = [
  { path: 'explorer', title: explorer.title, group: 'build', load: () => import('../pages/explorer/index.ts') },
  { path: 'rest', title: rest.title, group: 'build', load: () => import('../pages/rest/index.ts') },
  { path: 'schema', title: schemaPage.title, group: 'build', load: () => import('../pages/schema/index.ts') },
  { path: 'account', title: account.title, group: 'you', load: () => import('../pages/account/index.ts') },
  {
    path: 'sources',
    title: sources.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/sources/index.ts'),
  },
  {
    path: 'graph',
    title: graph.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/graph/index.ts'),
  },
  {
    path: 'metadata',
    title: metadata.title,
    group: 'plugIn',
    roles: insightRoles,
    load: () => import('../pages/metadata/index.ts'),
  },
];
