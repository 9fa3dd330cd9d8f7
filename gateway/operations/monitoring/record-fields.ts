import type { IncomingHttpHeaders } from 'node:http';
import { logJson, logText } from '../../../platform/index.ts';
import { TENANT_VARIABLE } from '../../access/session/index.ts';
import {
  headerText,
  type RecordedCaller,
  type RecordedOperation,
  type RequestRecord,
  sentClientName,
  sentClientVersion,
} from '../../transports/http/index.ts';

/** The most characters of a name or an id that a client chose. */
const MAX_LOGGED_NAME = 128;
const MAX_CLIENT_NAME = 64;
const MAX_CODE = 64;

/**
 * Writes the record of a request as members of a JSON object, each preceded by a comma. This happens for every request, so the
 * texts of sessions and operations, of which there are few, are cached.
 */
export class RecordFields {
  readonly #ofCallers = new WeakMap<RecordedCaller, string>();
  readonly #ofOperations = new WeakMap<RecordedOperation, string>();

  write(record: RequestRecord, headers: IncomingHttpHeaders): string {
    const { caller, operations, sources, errors, events } = record;
    const [operation] = operations;
    let text = '';
    if (record.batchSize !== undefined) text = batchFields(record.batchSize, operations);
    else if (operation) text = this.#operationFields(operation);
    if (caller) text += this.#callerFields(caller);
    text += clientFields(headers);
    if (sources.length > 0) text += sourceFields(sources);
    if (events !== undefined) text += `,"events":${events}`;
    if (operations.length > 0 || errors > 0) text += `,"errors":${errors}`;
    if (errors > 0) text += `,"error_codes":${codesText(record.codes)}`;
    return text;
  }

  #operationFields(operation: RecordedOperation): string {
    const known = this.#ofOperations.get(operation);
    if (known !== undefined) return known;
    const fields = `,"operation_type":"${operation.operation}"${nameField('operation_name', operation.name?.value)}`;
    this.#ofOperations.set(operation, fields);
    return fields;
  }

  #callerFields(caller: RecordedCaller): string {
    const known = this.#ofCallers.get(caller);
    if (known !== undefined) return known;
    const { role, variables } = caller;
    const fields =
      nameField('role', role) +
      nameField('tenant_id', variables[TENANT_VARIABLE]) +
      nameField('user_id', variables['x-hasura-user-id']);
    this.#ofCallers.set(caller, fields);
    return fields;
  }
}

function nameField(member: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${member}":${logJson(value, MAX_LOGGED_NAME)}`;
}

function batchFields(size: number, operations: readonly RecordedOperation[]): string {
  const named = operations.map(({ operation, name }) => `{"type":"${operation}"${nameField('name', name?.value)}}`);
  return `,"batch_size":${size},"operations":[${named.join(',')}]`;
}

function clientFields(headers: IncomingHttpHeaders): string {
  return (
    clientField('client_name', sentClientName(headers)) + clientField('client_version', sentClientVersion(headers))
  );
}

function clientField(member: string, sent: string | undefined): string {
  return sent === undefined ? '' : `,"${member}":${logJson(headerText(sent), MAX_CLIENT_NAME)}`;
}

function sourceFields(sources: RequestRecord['sources']): string {
  let text = '';
  for (const { name, kind, calls, durationMs, outcome } of sources)
    text += `${text && ','}{"name":${logJson(name, MAX_LOGGED_NAME)},"kind":"${kind}","calls":${calls},"duration_ms":${tenths(durationMs)},"outcome":"${outcome}"}`;
  return `,"sources":[${text}]`;
}

/** Formats a number with one decimal digit. `toFixed` takes five times as long. */
function tenths(value: number): string {
  const whole = Math.round(value * 10);
  return `${Math.trunc(whole / 10)}.${whole % 10}`;
}

/** Sources may use any value as an error code. */
function codesText(codes: readonly unknown[]): string {
  const texts = codes.map((code) => (typeof code === 'string' ? logText(code, MAX_CODE) : 'none'));
  return JSON.stringify([...new Set(texts)]);
}
