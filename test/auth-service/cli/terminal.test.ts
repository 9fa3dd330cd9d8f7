import { PassThrough, Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { openTerminal } from '../../../auth-service/cli/terminal.ts';

/** A keyboard and a screen, as node shows them to a process that a person has started. */
function person() {
  const modes: boolean[] = [];
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => modes.push(mode),
  });
  const screen = new PassThrough();
  const terminal = openTerminal(keyboard as unknown as NodeJS.ReadStream, screen);
  return { keyboard, modes, terminal, shown: () => String(screen.read() ?? '') };
}

test('a password that is typed is not shown, and can be corrected', async () => {
  const { keyboard, modes, terminal, shown } = person();
  const typed = terminal.readSecret('password: ');
  for (const key of ['s', 'e', 'x', '\u007f', 'crü', 't', '\r']) keyboard.write(key);

  expect(await typed).toBe('secrüt');
  expect(shown()).toBe('password: \n');
  expect(modes).toEqual([true, false]);
});

test('two passwords are asked for one after the other', async () => {
  const { keyboard, terminal } = person();
  const first = terminal.readSecret('password: ');
  keyboard.write('one\r');
  expect(await first).toBe('one');
  const second = terminal.readSecret('password again: ');
  keyboard.write('two\n');
  expect(await second).toBe('two');
});

test('Ctrl-C gives up and leaves the terminal as it was', async () => {
  const { keyboard, modes, terminal } = person();
  const typed = terminal.readSecret('password: ');
  keyboard.write('half\u0003');

  await expect(typed).rejects.toThrow('interrupted');
  expect(modes).toEqual([true, false]);
});

test('input that is not in UTF-8 is refused, whose characters would all be read as the same one', async () => {
  const input = Readable.from([Buffer.from('M\u00fcller has a password', 'latin1')]) as unknown as NodeJS.ReadStream;
  const terminal = openTerminal(input, new PassThrough());

  await expect(terminal.readSecret('password: ')).rejects.toThrow('standard input is not in UTF-8');
});
