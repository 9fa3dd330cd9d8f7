import type { WebSocket } from 'ws';

/** How many pings may remain unanswered. */
const MAX_MISSED_PINGS = 3;

interface HeartbeatParts {
  readonly everyMs: number;
  /** Returns whether reading from the client is paused, so that no pong can arrive. */
  isExcused(): boolean;
  /** Called with each ping. */
  onPing(): void;
  /** Called at each ping that is due while too many are unanswered. */
  onSilence(): void;
}

/** The pings of a connection, for as long as it is open. */
export interface Heartbeat {
  /** Notes that the client has responded. */
  heard(): void;
  stop(): void;
}

export function startHeartbeat(
  socket: WebSocket,
  { everyMs, isExcused, onPing, onSilence }: HeartbeatParts,
): Heartbeat {
  let missed = 0;
  const heard = () => {
    missed = 0;
  };
  const ping = () => {
    if (isExcused()) return;
    if (missed >= MAX_MISSED_PINGS) {
      onSilence();
      return;
    }
    missed++;
    socket.ping();
    onPing();
  };
  const timer = setInterval(ping, everyMs);
  socket.on('pong', heard);
  return { heard, stop: () => clearInterval(timer) };
}
