import {
  type ActionsMetadata,
  type ActionTypes,
  actionsShape,
  actionTypes,
  handlerReferences,
  tableRelationshipProblems,
} from './actions/index.ts';
import { type AllowListEntry, allowListProblems, allowListShape } from './allow-list.ts';
import { type ApiLimits, apiLimitsShape } from './api-limits.ts';
import { type InheritedRole, inheritedRolesShape, orderInheritedRoles, withInherited } from './inherited-roles.ts';
import { readNamedFile } from './named-file.ts';
import { namedRoles } from './named-roles.ts';
import { ignoredDataTypes, type OpenTelemetryMetadata, openTelemetryShape } from './opentelemetry.ts';
import { DEFAULT_HANDLER_LIMITS, type HandlerLimits, type OperationHandlers } from './operation-handler.ts';
import { resolveOperationHandlers } from './operation-handlers.ts';
import { type PersistedManifest, persistedDocumentsShape, readManifests } from './persisted-documents.ts';
import { type QueryCollectionMetadata, queryCollectionsShape } from './query-collections.ts';
import {
  ambiguousEndpoints,
  duplicateNames,
  duplicateRoles,
  type RestEndpoint,
  repeatedQueries,
  resolveEndpoints,
} from './references.ts';
import { type RelationshipMetadata, relationshipsOf } from './relationships.ts';
import { type RemoteSchemaMetadata, remoteSchemasShape, unknownConditionFields } from './remote-schemas.ts';
import { restEndpointsShape } from './rest-endpoints.ts';
import { SectionReader } from './section-reader.ts';
import { type ServiceMetadata, servicesShape } from './services.ts';
import { listOf, mapping, name } from './shapes/index.ts';
import { type Kind, type MetadataStore, openStore } from './store.ts';
import {
  type CronTriggerMetadata,
  cronTriggersShape,
  type DeliveriesMetadata,
  deliveriesShape,
} from './triggers/index.ts';
import { ignoredTypes } from './types-in-yaml.ts';
import type { IgnoredMetadata } from './unsupported.ts';
import {
  presetSlips,
  roleWarnings,
  type SessionVariableUse,
  sessionVariableUses,
  templateSlips,
} from './warnings/index.ts';
import { MetadataError, type MetadataLocation, type MetadataProblem, type ValuePath } from './yaml/index.ts';

/** `graphql_schema_introspection.yaml`: roles that may not introspect. */
const introspectionShape = mapping({ disabled_for_roles: listOf(name) });

/** The validated content of a metadata directory or export. */
export interface Metadata {
  readonly remoteSchemas: readonly RemoteSchemaMetadata[];
  readonly actions: ActionsMetadata;
  /** The text of `actions.graphql`. */
  readonly actionsSdl: string;
  /** The types of `actionsSdl`, joined with the actions. */
  readonly actionTypes: ActionTypes;
  /** Fields that connect types to fields of remote schemas. */
  readonly relationships: readonly RelationshipMetadata[];
  readonly queryCollections: readonly QueryCollectionMetadata[];
  readonly restEndpoints: readonly RestEndpoint[];
  /** The handlers that run saved operations in place of a webhook. */
  readonly operationHandlers: OperationHandlers;
  readonly allowList: readonly AllowListEntry[];
  readonly apiLimits: ApiLimits;
  /** Roles that may not introspect. */
  readonly introspectionDisabledFor: ReadonlySet<string>;
  readonly services: readonly ServiceMetadata[];
  /** The destinations of traces and metrics, in Hasura's format. */
  readonly openTelemetry: OpenTelemetryMetadata;
  /** Roles that combine the permissions of other roles. The permissions in this metadata include inherited ones. */
  readonly inheritedRoles: readonly InheritedRole[];
  /** The session variables that presets and templates use. */
  readonly sessionVariables: readonly SessionVariableUse[];
  /** Warnings other than those about session variables. */
  readonly warnings: readonly MetadataProblem[];
  /** Webhooks that run on a schedule. Empty without a database for jobs. */
  readonly cronTriggers: readonly CronTriggerMetadata[];
  /** The producers of events, and the webhooks that receive them. */
  readonly deliveries: DeliveriesMetadata;
  /** Documents that clients send by id. */
  readonly persistedManifests: readonly PersistedManifest[];
  /** Unsupported metadata, which is ignored. */
  readonly ignored: readonly IgnoredMetadata[];
  /** The content of the files with included files inserted, by the keys of Hasura's export. */
  readonly asWritten: Readonly<Record<string, unknown>>;
  /**
   * Returns the location of a value, for problems that are found after loading.
   *
   * @param line a line within the value, if it is a text.
   */
  place(kind: Kind, path: ValuePath, line?: number): MetadataLocation;
}

export interface LoadOptions {
  /** Whether only the admin may use a remote schema without permissions. */
  readonly closeRemoteSchemas?: boolean;
  /** Receives the names of the files that were read, relative to the metadata directory, even if they are invalid. */
  readonly onFiles?: (files: ReadonlySet<string>) => void;
  /** Whether there is a database for jobs. */
  readonly hasJobsDatabase?: boolean;
  readonly handlerLimits?: HandlerLimits;
}

/**
 * Reads metadata in Hasura's v3 format. Every kind may be absent.
 *
 * @param location a metadata directory, or a file in the format of Hasura's metadata export.
 * @throws MetadataError with all problems, not only the first.
 */
export function loadMetadata(
  location: string,
  {
    closeRemoteSchemas = false,
    hasJobsDatabase = false,
    handlerLimits = DEFAULT_HANDLER_LIMITS,
    onFiles,
  }: LoadOptions = {},
): Metadata {
  const problems: MetadataProblem[] = [];
  const store = openStore(location, problems);
  onFiles?.(store.files);
  const sections = new SectionReader(store, problems);
  const { place } = sections;
  const at = (kind: Kind) => sections.at(kind);

  checkVersion(store, problems);
  const described = sections.read('remoteSchemas', remoteSchemasShape, []);
  const remoteSchemas = withFiles(
    closeRemoteSchemas ? described.map((remote) => ({ ...remote, permissions: remote.permissions ?? [] })) : described,
    store,
    at('remoteSchemas'),
    problems,
  );
  const actions = sections.read('actions', actionsShape, actionsShape.parse({}));
  const validActions = sections.isValid('actions') ? actions : undefined;
  const checkedTypes = actionTypes(store, validActions, problems, at('actions'));
  problems.push(...tableRelationshipProblems(sections.asWritten.actions, checkedTypes, at('actions')));
  const relationships = relationshipsOf(remoteSchemas, actions, place, problems);
  const queryCollections = sections.read('queryCollections', queryCollectionsShape, []);
  const endpoints = sections.read('restEndpoints', restEndpointsShape, []);
  const allowList = sections.read('allowList', allowListShape, []);
  const apiLimits = sections.read('apiLimits', apiLimitsShape, apiLimitsShape.parse({}));
  const introspection = sections.read('introspection', introspectionShape, { disabled_for_roles: [] });
  const services = sections.read('services', servicesShape, []);
  const openTelemetry = sections.read('openTelemetry', openTelemetryShape, openTelemetryShape.parse({}));
  const inheritedRoles = sections.read('inheritedRoles', inheritedRolesShape, []);
  const inherited = orderInheritedRoles(inheritedRoles, at('inheritedRoles'));
  const cronTriggers = sections.read('cronTriggers', cronTriggersShape, []);
  const deliveries = sections.read('deliveries', deliveriesShape, deliveriesShape.parse({}));
  const persistedManifests = readManifests(
    sections.read('persistedDocuments', persistedDocumentsShape, []),
    store,
    at('persistedDocuments'),
    problems,
  );

  const { subscriptions } = deliveries;
  const repeated = repeatedQueries(
    queryCollections,
    [
      ...endpoints.map(({ definition: { query } }) => ({
        collection: query.collection_name,
        operation: query.query_name,
        runner: 'a REST endpoint',
      })),
      ...handlerReferences([
        ...actions.actions.map(({ definition }) => definition.handler),
        ...[...cronTriggers, ...subscriptions].map(({ handler }) => handler),
      ]).map((one) => ({ ...one, runner: 'a handler' })),
    ],
    at('queryCollections'),
  );
  const withoutJobs = hasJobsDatabase ? undefined : triggersWithoutJobs(cronTriggers, deliveries, place);
  problems.push(
    ...inherited.problems,
    ...duplicateNames(remoteSchemas, at('remoteSchemas')),
    ...duplicateRoles(remoteSchemas, at('remoteSchemas')),
    ...unknownConditionFields(remoteSchemas, at('remoteSchemas')),
    ...duplicateNames(queryCollections, at('queryCollections')),
    ...repeated.problems,
    ...duplicateNames(endpoints, at('restEndpoints')),
    ...duplicateNames(services, at('services')),
    ...duplicateNames(cronTriggers, at('cronTriggers')),
    ...duplicateNames(deliveries.producers, (path) => place('deliveries', ['producers', ...path])),
    ...duplicateNames(deliveries.subscriptions, (path) => place('deliveries', ['subscriptions', ...path])),
    ...ambiguousEndpoints(endpoints, at('restEndpoints')),
    ...(withoutJobs?.problems ?? []),
  );
  // References into invalid collections cannot be checked.
  const areCollectionsValid = sections.isValid('queryCollections');
  if (areCollectionsValid)
    problems.push(...allowListProblems(allowList, queryCollections, at('allowList'), at('queryCollections')));
  const restEndpoints = areCollectionsValid
    ? resolveEndpoints(endpoints, queryCollections, at('restEndpoints'), problems)
    : [];
  const operationHandlers = resolveOperationHandlers(
    {
      actions: actions.actions,
      actionTypes: checkedTypes,
      cronTriggers,
      subscriptions,
      collections: areCollectionsValid ? queryCollections : undefined,
      roles: namedRoles({ remoteSchemas, actions, services, inheritedRoles }),
      limits: handlerLimits,
      place,
    },
    problems,
  );
  if (problems.length > 0) throw new MetadataError(problems);
  const granted = withInherited(inherited.ordered, { remoteSchemas, actions, services });
  const introspectionDisabledFor = introspection.disabled_for_roles;
  const sessionVariables = sessionVariableUses({ remoteSchemas, actions, endpoints }, place);
  const warnings = [
    ...sections.empty,
    ...roleWarnings(
      { remoteSchemas, actions, services, allowList, apiLimits, introspectionDisabledFor, inheritedRoles },
      granted.conflicts,
      place,
    ),
    ...presetSlips(remoteSchemas, place),
    ...templateSlips(actions, checkedTypes, place),
  ];
  return {
    remoteSchemas: granted.remoteSchemas,
    actions: granted.actions,
    actionsSdl: store.actionsSdl,
    actionTypes: checkedTypes,
    relationships,
    queryCollections,
    restEndpoints,
    operationHandlers,
    allowList,
    apiLimits,
    introspectionDisabledFor: new Set(introspectionDisabledFor),
    services: granted.services,
    openTelemetry,
    inheritedRoles: inherited.ordered,
    sessionVariables,
    warnings,
    cronTriggers: hasJobsDatabase ? cronTriggers : [],
    deliveries,
    persistedManifests,
    ignored: [
      ...store.ignored(),
      ...sections.ignored,
      ...ignoredDataTypes(openTelemetry, at('openTelemetry')),
      ...repeated.ignored,
      ...(withoutJobs?.ignored ?? []),
      ...ignoredTypes(actions, checkedTypes, at('actions')),
    ],
    asWritten: sections.asWritten,
    place,
  };
}

const NO_JOBS = 'a database for jobs is required: set HASURA_GRAPHQL_METADATA_DATABASE_URL';

/**
 * Handles triggers without a database for jobs: cron triggers are ignored. Deliveries are a problem, since events would be
 * lost.
 */
function triggersWithoutJobs(
  cronTriggers: Metadata['cronTriggers'],
  { producers, subscriptions }: DeliveriesMetadata,
  place: Metadata['place'],
): { readonly ignored: readonly IgnoredMetadata[]; readonly problems: readonly MetadataProblem[] } {
  const hasDeliveries = producers.length + subscriptions.length > 0;
  return {
    ignored:
      cronTriggers.length > 0 ? [{ file: place('cronTriggers', []).file, what: `cron triggers: ${NO_JOBS}` }] : [],
    problems: hasDeliveries ? [{ ...place('deliveries', []), message: `deliveries: ${NO_JOBS}` }] : [],
  };
}

/** 2 is the layout of Hasura v1, with tables in separate files. Everything else is the same. */
const VERSIONS: readonly unknown[] = [2, 3];

function checkVersion({ version }: MetadataStore, problems: MetadataProblem[]): void {
  const { value, place } = version;
  // Problems of the file itself have been reported already.
  if (VERSIONS.includes(value) || (value === undefined && problems.some(({ file }) => file === place.file))) return;
  const found = value === undefined ? 'there is none' : `found ${JSON.stringify(value)}`;
  problems.push({ ...place, message: `expected "version: 3", or 2 for metadata of Hasura v1: ${found}` });
}

/** Reads the files that remote schemas name. Problems with unreadable files are added to the problems. */
function withFiles(
  remotes: readonly RemoteSchemaMetadata[],
  store: MetadataStore,
  place: (path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): readonly RemoteSchemaMetadata[] {
  const contentOf = (index: number, key: 'schema_file' | 'supergraph_file', file: string): string | undefined =>
    readNamedFile(store, file, place([index, 'definition', key]), problems)?.content;
  return remotes.map((remote, index) => {
    const { schema_file, supergraph_file } = remote.definition;
    const schemaSdl = schema_file === undefined ? undefined : contentOf(index, 'schema_file', schema_file);
    const supergraphSdl =
      supergraph_file === undefined ? undefined : contentOf(index, 'supergraph_file', supergraph_file);
    return {
      ...remote,
      ...(schemaSdl !== undefined && { schemaSdl }),
      ...(supergraphSdl !== undefined && { supergraphSdl }),
    };
  });
}
