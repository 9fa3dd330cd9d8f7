import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/**
 * What the instances of `AsyncLocalStorage` hold here that Node passes on to each promise: Node 20 and 22 mark every resource
 * that is made with it, promises included. Newer ones observe no promises for them, and leave no mark.
 */
export function asyncStorageMarks(): unknown[] {
  const resource = new AsyncResource('test') as unknown as Record<symbol, unknown>;
  const marks = Object.getOwnPropertySymbols(resource).filter(({ description }) => description === 'kResourceStore');
  return marks.map((mark) => resource[mark]);
}

/** Whether an instance that is in use is seen by its mark. */
export function asyncStorageLeavesMarks(): boolean {
  const probe = new AsyncLocalStorage<string>();
  const seen = probe.run('here', () => asyncStorageMarks().includes('here'));
  probe.disable();
  return seen;
}
