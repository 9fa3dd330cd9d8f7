import { connect } from 'node:net';

/** A gateway that sends nothing for so long sends no more. */
const SILENCE_MS = 3_000;
/** How long an answer that has to come is waited for. */
const PATIENCE_MS = 45_000;

/** Sends bytes, one character each, and gathers what comes back until the connection ends or `isEnough`. */
export function sendBytes(port: number, bytes: string, isEnough?: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (isEnough?.(text)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.setTimeout(isEnough ? PATIENCE_MS : SILENCE_MS, () => socket.destroy());
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** The head of a request: its start line and header lines. */
export function headOf(start: string, ...lines: readonly string[]): string {
  return `${[start, ...lines].join('\r\n')}\r\n\r\n`;
}
