import { closeReason } from './close-reason.ts';
import { type ClientMessage, jsonOf, type Protocol } from './protocol.ts';

/**
 * `graphql-ws`, the protocol of the package `subscriptions-transport-ws`, as its clients and Hasura's use it. Clients send
 * their first operations right after `connection_init`. Operations are `start` and `stop` messages, and results are `data`
 * messages.
 */
export const legacyProtocol: Protocol = {
  name: 'graphql-ws',
  takesEarlyOperations: true,
  read: readLegacyMessage,
  acknowledge: () => [JSON.stringify({ type: 'connection_ack' }), KEEP_ALIVE],
  keepAlive: JSON.stringify({ type: 'ka' }),
  next: (id, payload) => `{"id":${JSON.stringify(id)},"type":"data","payload":${jsonOf(payload)}}`,
  error: (id, errors) => JSON.stringify({ id, type: 'error', payload: { errors } }),
  complete: (id) => JSON.stringify({ id, type: 'complete' }),
  initRefused: (error) => ({
    message: JSON.stringify({ type: 'connection_error', payload: error }),
    code: 4400,
    reason: closeReason(error.message),
  }),
  initTimeout: () => ({ code: 1011, reason: 'Connection initialisation timed out' }),
  badMessage: () => ({ complaint: complaint('a message that is not valid in this protocol') }),
  duplicate: (id) => ({
    complaint: JSON.stringify({
      id,
      type: 'error',
      payload: {
        errors: [
          {
            message: 'an operation already exists with this id',
            extensions: { path: '$', code: 'start-failed' },
          },
        ],
      },
    }),
  }),
};

const KEEP_ALIVE = JSON.stringify({ type: 'ka' });

function complaint(message: string): string {
  return JSON.stringify({
    type: 'connection_error',
    payload: { message, extensions: { path: '$', code: 'bad-request' } },
  });
}

function readLegacyMessage(text: string): ClientMessage | undefined {
  let message: { type?: unknown; id?: unknown; payload?: unknown } | null;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { type, payload } = message ?? {};
  // Some clients use numbers as ids.
  const id = typeof message?.id === 'number' ? String(message.id) : message?.id;
  if (type === 'connection_init') return { type: 'init', payload };
  if (type === 'connection_terminate') return { type: 'terminate' };
  if (typeof id !== 'string' || id === '') return undefined;
  if (type === 'start') return { type: 'subscribe', id, payload };
  return type === 'stop' ? { type: 'stop', id } : undefined;
}
