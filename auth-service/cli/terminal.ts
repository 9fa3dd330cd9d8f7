import { isUtf8 } from 'node:buffer';
import type { ReadStream } from 'node:tty';
import { inputInterrupted, inputNotUtf8, inputTooLarge } from './errors.ts';

const MAX_INPUT_BYTES = 256 * 1024 * 1024;
const INTERRUPT = '\u0003';
const END_OF_TRANSMISSION = '\u0004';
const BACKSPACE = new Set(['\b', '\u007f']);

/** The input of an operator. */
export interface Terminal {
  /** Reads a secret: typed without echo on a terminal, otherwise the first line of standard input. */
  readSecret(prompt: string): Promise<string>;
  /** Reads all of standard input. */
  readAll(): Promise<string>;
  readonly interactive: boolean;
  /** Standard error, for output that is not a result. */
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Opens the terminal of this process. Prompts go to standard error, so that standard output contains only results. */
export function openTerminal(input: NodeJS.ReadStream, errors: Terminal['errors']): Terminal {
  const interactive = input.isTTY === true;
  return {
    interactive,
    errors,
    readSecret: async (prompt) =>
      interactive ? readTyped(prompt, input, errors) : firstLine(await readWholeInput(input)),
    readAll: () => readWholeInput(input),
  };
}

async function readWholeInput(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const buffer = Buffer.from(chunk as Buffer);
    size += buffer.length;
    if (size > MAX_INPUT_BYTES) throw inputTooLarge();
    chunks.push(buffer);
  }
  const bytes = Buffer.concat(chunks);
  // In another encoding, different characters would be read as the same one. This would give wrong names and weaker passwords.
  if (!isUtf8(bytes)) throw inputNotUtf8();
  return bytes.toString('utf8');
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}

/** In raw mode, the terminal does not echo input and passes on every key. */
function readTyped(prompt: string, input: ReadStream, errors: NodeJS.WritableStream): Promise<string> {
  errors.write(prompt);
  input.setRawMode(true);
  input.setEncoding('utf8').resume();
  return new Promise((resolve, reject) => {
    const signs: string[] = [];
    const finish = (settle: () => void) => {
      input.off('data', take).pause();
      input.setRawMode(false);
      errors.write('\n');
      settle();
    };
    const take = (text: string) => {
      for (const sign of text) {
        if (sign === INTERRUPT) return finish(() => reject(inputInterrupted()));
        if (sign === '\r' || sign === '\n' || sign === END_OF_TRANSMISSION)
          return finish(() => resolve(signs.join('')));
        if (BACKSPACE.has(sign)) signs.pop();
        else signs.push(sign);
      }
    };
    input.on('data', take);
  });
}
