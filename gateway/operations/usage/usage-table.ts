import type { OperationTypeNode } from 'graphql';
import { type Client, Clients, OTHER, PUBLIC_SHARE } from './clients.ts';

/** The properties that distinguish operations: name, type, and used coordinates. */
export interface OperationDescription {
  /** A hash of the other properties. */
  readonly id: string;
  readonly type: `${OperationTypeNode}` | typeof OTHER;
  readonly name: string | undefined;
  readonly coordinates: readonly string[];
}

/** How often one client ran an operation under one role. */
export interface Uses {
  readonly client: Client;
  readonly role: string;
  count: number;
  /** The number of runs whose response had an error. */
  errors: number;
  /** The first and last run, in milliseconds since the epoch. `last` is updated when the table is read. */
  readonly first: number;
  last: number;
  /** The value of `count` at the last reading. */
  seen: number;
}

/** An operation of the table. */
export interface CountedOperation {
  readonly id: string;
  readonly type: OperationDescription['type'];
  readonly name: string | undefined;
  /** For the operations beyond the limit: the coordinates that any of them used. */
  readonly coordinates: Iterable<string>;
  readonly byRole: Map<string, RoleUses>;
}

/** The uses of an operation by one role. */
export interface RoleUses {
  readonly role: string;
  readonly byClient: Map<Client, Uses>;
}

export interface UsageBounds {
  readonly operations: number;
  readonly clients: number;
}

/** Limited, since roles come from tokens. */
const MAX_COUNTED_ROLES = 100;
/** The most combinations of operation, client and role, for each separately counted operation. */
const USES_PER_OPERATION = 10;
/** The most coordinates of all operations, for each separately counted operation. */
const COORDINATES_PER_OPERATION = 100;

/**
 * Counts uses in limited memory since the table was begun. Operations, clients and roles beyond a limit are counted as `other`,
 * operations with all coordinates that they used. No use is omitted from the counts.
 */
export class UsageTable {
  readonly startedAt = Date.now();
  readonly clients: Clients;
  readonly #bounds: UsageBounds;
  readonly #operations = new Map<string, CountedOperation>();
  readonly #roles = new Set<string>();
  readonly #otherCoordinates = new Set<string>();
  #hasOtherRoles = false;
  #operationsOfThePublic = 0;
  #coordinates = 0;
  #uses = 0;

  constructor(bounds: UsageBounds) {
    this.#bounds = bounds;
    this.clients = new Clients(bounds.clients);
  }

  get operations(): Iterable<CountedOperation> {
    return this.#operations.values();
  }

  /** Whether a limit has been reached, so that some operations, clients or roles are counted together. */
  get isFull(): boolean {
    return this.#operations.has(OTHER) || this.#isBeyondUses || this.#hasOtherRoles || this.clients.hasOthers;
  }

  get #isBeyondUses(): boolean {
    return this.#uses >= this.#bounds.operations * USES_PER_OPERATION;
  }

  /** @param isPublic whether the request had no session. */
  operation(described: OperationDescription, isPublic: boolean): CountedOperation {
    const known = this.#operations.get(described.id);
    if (known) return known;
    if (!this.#hasRoom(described, isPublic)) return this.#other(described);
    if (isPublic) this.#operationsOfThePublic += 1;
    this.#coordinates += described.coordinates.length;
    const { id, type, name, coordinates } = described;
    const operation: CountedOperation = { id, type, name, coordinates, byRole: new Map() };
    this.#operations.set(id, operation);
    return operation;
  }

  /** Returns the counts of an operation for a role. */
  role(operation: CountedOperation, name: string): RoleUses {
    const known = operation.byRole.get(name);
    if (known) return known;
    const isKnown = this.#roles.has(name) || (this.#roles.size < MAX_COUNTED_ROLES && !this.#isBeyondUses);
    if (!isKnown && name !== OTHER) {
      this.#hasOtherRoles = true;
      return this.role(operation, OTHER);
    }
    if (name !== OTHER) this.#roles.add(name);
    const uses: RoleUses = { role: name, byClient: new Map() };
    operation.byRole.set(name, uses);
    return uses;
  }

  /** Returns the counts of a client. */
  uses({ role, byClient }: RoleUses, client: Client): Uses {
    const known = byClient.get(client);
    if (known) return known;
    const { beyond } = this.clients;
    if (this.#isBeyondUses && client !== beyond) return this.uses({ role, byClient }, beyond);
    this.#uses += 1;
    const now = Date.now();
    const uses: Uses = { client, role, count: 0, errors: 0, first: now, last: now, seen: 0 };
    byClient.set(client, uses);
    return uses;
  }

  #hasRoom({ coordinates }: OperationDescription, isPublic: boolean): boolean {
    const { operations } = this.#bounds;
    if (this.#operations.size >= operations) return false;
    if (this.#coordinates + coordinates.length > operations * COORDINATES_PER_OPERATION) return false;
    return !isPublic || this.#operationsOfThePublic < Math.ceil(operations / PUBLIC_SHARE);
  }

  /** The operation has at most as many coordinates as the schema. */
  #other({ coordinates }: OperationDescription): CountedOperation {
    for (const coordinate of coordinates) this.#otherCoordinates.add(coordinate);
    const known = this.#operations.get(OTHER);
    if (known) return known;
    const other: CountedOperation = {
      id: OTHER,
      type: OTHER,
      name: undefined,
      coordinates: this.#otherCoordinates,
      byRole: new Map(),
    };
    this.#operations.set(OTHER, other);
    return other;
  }
}
