import type { IncomingHttpHeaders } from 'node:http';
import { logText } from '../../../platform/index.ts';
import { headerText, sentClientName, sentClientVersion } from '../../transports/http/index.ts';

/** The name for everything beyond a limit. */
export const OTHER = 'other';

/** A client program, by the name that it states. */
export interface Client {
  /** Undefined if the client states no name. */
  readonly name: string | undefined;
  /** Undefined if the client states no version. */
  readonly version: string | undefined;
}

/** The most characters of a name or a version. */
const MAX_CLIENT_TEXT = 64;
/** The most versions of one name. */
const MAX_VERSIONS = 50;
/** Callers without a session may add at most one in this many names, so that they cannot crowd out others. */
export const PUBLIC_SHARE = 10;

/** Counts a limited number of clients, since clients choose their names. Beyond a limit, clients are counted as `other`. */
export class Clients {
  readonly #maxNames: number;
  /** By the headers as sent, which works for nearly every request since they need no cleaning. */
  readonly #byName = new Map<string | undefined, Map<string | undefined, Client>>();
  /** Represents all clients that are not counted separately. */
  readonly beyond: Client = { name: OTHER, version: undefined };
  #ofThePublic = 0;
  #hasOthers = false;

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  /** Whether some clients are counted together. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** @param isPublic whether the request had no session. */
  of(headers: IncomingHttpHeaders, isPublic: boolean): Client {
    const name = sentClientName(headers);
    const version = sentClientVersion(headers);
    return this.#byName.get(name)?.get(version) ?? this.#find(cleaned(name), cleaned(version), isPublic);
  }

  #find(name: string | undefined, version: string | undefined, isPublic: boolean): Client {
    const versions = this.#versionsOf(name, isPublic);
    if (!versions) {
      this.#hasOthers = true;
      return this.beyond;
    }
    const known = versions.get(version);
    if (known) return known;
    if (versions.size >= MAX_VERSIONS && version !== OTHER) {
      this.#hasOthers = true;
      return this.#find(name, OTHER, isPublic);
    }
    const client = { name, version };
    versions.set(version, client);
    return client;
  }

  #versionsOf(name: string | undefined, isPublic: boolean): Map<string | undefined, Client> | undefined {
    const known = this.#byName.get(name);
    if (known) return known;
    // Clients without a name are always counted separately.
    if (name !== undefined) {
      if (this.#byName.size >= this.#maxNames) return undefined;
      if (isPublic && this.#ofThePublic >= Math.ceil(this.#maxNames / PUBLIC_SHARE)) return undefined;
      if (isPublic) this.#ofThePublic += 1;
    }
    const versions = new Map<string | undefined, Client>();
    this.#byName.set(name, versions);
    return versions;
  }
}

function cleaned(sent: string | undefined): string | undefined {
  return sent === undefined ? undefined : logText(headerText(sent.slice(0, MAX_CLIENT_TEXT * 4)), MAX_CLIENT_TEXT);
}
