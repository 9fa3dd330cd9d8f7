import { afterEach, expect, test } from '@jest/globals';
import { tellLauncher } from '../../platform/index.ts';

const { send, connected } = process;
afterEach(() => {
  Object.assign(process, { send, connected });
});

type Done = (error: Error | null) => void;

test.each([
  ['has gone', false, 0],
  ['goes just now', true, 1],
])('a message to a launcher that %s does not end the process', (_, isConnected, calls) => {
  const sent: Done[] = [];
  Object.assign(process, {
    connected: isConnected,
    // As Node does: without a callback, the failure is an event that nobody listens to.
    send: (...given: readonly unknown[]) => {
      const done = given.at(-1);
      if (!isConnected || typeof done !== 'function') throw new Error('the channel is closed');
      sent.push(done as Done);
    },
  });
  tellLauncher({ type: 'notice', text: 'metadata reloaded (SIGHUP)' });
  expect(sent).toHaveLength(calls);
  for (const done of sent) done(new Error('write EPIPE'));
});
