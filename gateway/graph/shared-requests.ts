import type { BatchingOptions } from '@graphql-tools/delegate';
import type { ExecutionRequest } from '@graphql-tools/utils';
import { print } from 'graphql';
import type { Subschema } from '../sources/index.ts';

/** Marks, in the extensions of a request, one that leaves the answer as it is: others may have the same. */
const SHARED = 'portico_shared';

export function sharedRequest(request: ExecutionRequest): ExecutionRequest {
  return { ...request, extensions: { ...request.extensions, [SHARED]: true } };
}

/**
 * A part of a source, which is asked once for what several objects of an answer need all the same. What is needed at the
 * same time goes in one request anyway.
 */
export function withSharedRequests(subschema: Subschema): Subschema {
  const calls = new WeakMap<object, Map<string, Promise<unknown>>>();
  const cacheMap: CacheMap = {
    get: (key) => key && calls.get(key.call)?.get(key.text),
    set: (key, answer) => {
      if (!key) return;
      const underWay = calls.get(key.call) ?? new Map<string, Promise<unknown>>();
      calls.set(key.call, underWay.set(key.text, answer));
      // Asked later, as by the next mutation, it may have another answer.
      const forget = () => void underWay.delete(key.text);
      answer.then(forget, forget);
    },
    delete: (key) => key && calls.get(key.call)?.delete(key.text),
    clear: () => {},
  };
  const dataLoaderOptions = { cacheKeyFn: keyOf, cacheMap } as unknown as BatchingOptions['dataLoaderOptions'];
  return { ...subschema, batch: true, batchingOptions: { ...(dataLoaderOptions && { dataLoaderOptions }) } };
}

/** Undefined for a request that is not shared. */
type Key = { readonly call: object; readonly text: string } | undefined;

interface CacheMap {
  get(key: Key): Promise<unknown> | undefined;
  set(key: Key, answer: Promise<unknown>): void;
  delete(key: Key): unknown;
  clear(): void;
}

function keyOf({ context, document, variables, extensions }: ExecutionRequest): Key {
  if (!context || !extensions?.[SHARED]) return undefined;
  return { call: context as object, text: print(document) + JSON.stringify(variables) };
}
