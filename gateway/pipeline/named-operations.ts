import type { IncomingHttpHeaders } from 'node:http';
import { type DocumentNode, type OperationDefinitionNode, type OperationTypeNode, parse } from 'graphql';
import { counter, Durations, durationHistogram, type Metric, type Sample } from '../../platform/index.ts';
import { type Session, TENANT_VARIABLE } from '../access/session/index.ts';
import type { Metadata } from '../metadata/index.ts';
import { headerText, type RequestContext, sentClientName } from '../transports/http/index.ts';
import { DURATION_BOUNDS_MS } from '../upstream/index.ts';
import { type Document, normalised } from './document/index.ts';

/** The maximum number of operations that are counted by name. All others are counted as `other`. */
const MAX_NAMES = 200;
/** The maximum number of characters of a name. */
const MAX_NAME_LENGTH = 128;
/** The maximum number of label sets per operation. Further operations get the client and tenant `other`. */
const MAX_SERIES = 500;
const OTHER_LABEL = 'other';

/** Labels of named operations besides the name. Operators list the values, since clients may send any value. */
export interface NamedOperationLabels {
  /** Names of clients. Requests with another name are counted as `other`, requests without a name as `none`. */
  readonly clients: readonly string[];
  /** Ids of tenants. All others are counted as `other`. */
  readonly tenants: readonly string[];
}

export type NamedMetadata = Pick<Metadata, 'queryCollections' | 'persistedManifests'>;

/**
 * Counts operations by their names. A name only counts if the metadata contains the operation's document: in a query
 * collection, which REST endpoints and the allow list use, or in a manifest of persisted documents. All other documents
 * are counted as `other`, even if their operation has a name from the metadata. Clients can therefore neither add
 * series nor hide behind another operation's name.
 */
export class NamedOperations {
  readonly #labels: NamedOperationLabels;
  readonly #clients: ReadonlySet<string>;
  readonly #tenants: ReadonlySet<string>;
  readonly #byName = new Map<string, NamedOperation>();
  #metadata: NamedMetadata | undefined;
  /** The documents that are counted by name. The value is the name in the collection, if any. */
  #names: ReadonlyMap<string, string | undefined> = new Map();

  constructor(labels: NamedOperationLabels) {
    this.#labels = labels;
    this.#clients = new Set(labels.clients);
    this.#tenants = new Set(labels.tenants);
  }

  /** Adopts the documents of other metadata. If the documents have changed, counting starts again. */
  follow(metadata: NamedMetadata): void {
    if (metadata === this.#metadata) return;
    this.#metadata = metadata;
    this.#names = documentNames(metadata);
    this.#byName.clear();
  }

  /**
   * The counter of an operation, to be cached with its document. Undefined if nothing is counted by name, because the
   * metadata has no operations and no clients or tenants are listed.
   */
  of(query: string, { node }: Document, operation: OperationDefinitionNode): NamedOperation | undefined {
    if (this.#names.size === 0 && this.#clients.size === 0 && this.#tenants.size === 0) return undefined;
    const name = this.#nameOf(query, node, operation);
    const known = this.#byName.get(name);
    if (known) return known;
    if (this.#byName.size >= MAX_NAMES && name !== OTHER_LABEL) return this.#named(OTHER_LABEL);
    return this.#named(name);
  }

  #named(name: string): NamedOperation {
    const named = this.#byName.get(name) ?? new NamedOperation(this.#clients, this.#tenants);
    this.#byName.set(name, named);
    return named;
  }

  #nameOf(query: string, node: DocumentNode, { name }: OperationDefinitionNode): string {
    const names = this.#names;
    if (names.size === 0) return OTHER_LABEL;
    const text = names.has(query) ? query : normalised(node);
    if (!names.has(text)) return OTHER_LABEL;
    return (name?.value ?? names.get(text) ?? OTHER_LABEL).slice(0, MAX_NAME_LENGTH);
  }

  metrics(): readonly Metric[] {
    const all = [...this.#byName];
    const more = [
      ...(this.#labels.clients.length > 0 ? ['client'] : []),
      ...(this.#labels.tenants.length > 0 ? ['tenant'] : []),
    ];
    return [
      counter(
        'portico_named_operations_total',
        'Operations by the names that they have in query collections and manifests.',
        ['operation', 'type', 'outcome', ...more],
        all.flatMap(([operation, counts]) => counts.samples(operation)),
      ),
      durationHistogram(
        'portico_named_operation_duration_seconds',
        'From when an operation begins to run to its result, by its name.',
        ['operation'],
        DURATION_BOUNDS_MS,
        all.map(([operation, { durations }]) => durations.sample({ operation })),
      ),
    ];
  }
}

/**
 * The documents that are counted by name, with their names in the collection. Clients may send documents of collections
 * with different white space, as for the allow list. Documents of manifests must be sent unchanged.
 */
function documentNames({
  queryCollections,
  persistedManifests,
}: NamedMetadata): ReadonlyMap<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const { documents } of persistedManifests) for (const { text } of documents) names.set(text, undefined);
  for (const { definition } of queryCollections)
    for (const { name, query } of definition.queries) names.set(query, name).set(normalised(parse(query)), name);
  return names;
}

/** Counts of operations with one set of labels, by type and outcome. */
type Outcomes = Record<`${OperationTypeNode}`, { success: number; errors: number }>;

interface Series {
  readonly client: string;
  readonly tenant: string;
  readonly outcomes: Outcomes;
}

/** An executed operation. */
export interface ExecutedOperation {
  readonly operation: OperationDefinitionNode;
  readonly context: RequestContext;
  readonly session: Session;
}

/** The counts of operations with one name. */
export class NamedOperation {
  readonly durations = new Durations(DURATION_BOUNDS_MS);
  readonly #clients: ReadonlySet<string>;
  readonly #tenants: ReadonlySet<string>;
  /** The series by client, then by tenant. */
  readonly #series = new Map<string, Map<string, Series>>();
  /** The only series if neither clients nor tenants are listed. */
  readonly #only: Series | undefined;

  constructor(clients: ReadonlySet<string>, tenants: ReadonlySet<string>) {
    this.#clients = clients;
    this.#tenants = tenants;
    if (clients.size === 0 && tenants.size === 0) this.#only = this.#find('', '');
  }

  /** Counts a query or mutation that has run. */
  ran({ operation, context, session }: ExecutedOperation, hasErrors: boolean, durationMs: number): void {
    this.#count(operation.operation, hasErrors, context.clientHeaders, session);
    this.durations.add(durationMs, context.span);
  }

  /** Counts an opened subscription. */
  subscribed({ context, session }: ExecutedOperation): void {
    this.#count('subscription', false, context.clientHeaders, session);
  }

  #count(type: `${OperationTypeNode}`, hasErrors: boolean, headers: IncomingHttpHeaders, session: Session): void {
    const series = this.#only ?? this.#find(this.#clientOf(headers), this.#tenantOf(session));
    series.outcomes[type][hasErrors ? 'errors' : 'success']++;
  }

  #clientOf(headers: IncomingHttpHeaders): string {
    if (this.#clients.size === 0) return '';
    const sent = sentClientName(headers);
    if (sent === undefined) return 'none';
    const name = headerText(sent);
    return this.#clients.has(name) ? name : OTHER_LABEL;
  }

  #tenantOf({ variables }: Session): string {
    if (this.#tenants.size === 0) return '';
    const tenant = variables[TENANT_VARIABLE];
    if (tenant === undefined) return 'none';
    return this.#tenants.has(tenant) ? tenant : OTHER_LABEL;
  }

  #find(client: string, tenant: string): Series {
    return this.#series.get(client)?.get(tenant) ?? this.#create(client, tenant);
  }

  #create(client: string, tenant: string): Series {
    const size = [...this.#series.values()].reduce((sum, byTenant) => sum + byTenant.size, 0);
    if (size >= MAX_SERIES && !(client === OTHER_LABEL && tenant === OTHER_LABEL))
      return this.#find(OTHER_LABEL, OTHER_LABEL);
    const outcomes: Outcomes = {
      query: { success: 0, errors: 0 },
      mutation: { success: 0, errors: 0 },
      subscription: { success: 0, errors: 0 },
    };
    const series = { client, tenant, outcomes };
    const byTenant = this.#series.get(client) ?? new Map<string, Series>();
    this.#series.set(client, byTenant.set(tenant, series));
    return series;
  }

  samples(operation: string): readonly Sample[] {
    const all = [...this.#series.values()].flatMap((byTenant) => [...byTenant.values()]);
    return all.flatMap(({ client, tenant, outcomes }) =>
      Object.entries(outcomes).flatMap(([type, counts]) =>
        Object.entries(counts).flatMap(([outcome, value]) => {
          const more = { ...(client !== '' && { client }), ...(tenant !== '' && { tenant }) };
          return value === 0 ? [] : [{ labels: { operation, type, outcome, ...more }, value }];
        }),
      ),
    );
  }
}
