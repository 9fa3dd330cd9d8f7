import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { completionScript, SHELLS, suggestion } from '../../platform/command-line.ts';

const COMMANDS = [
  { name: 'check', options: ['json', 'schemas'] },
  { name: 'user add', options: ['role'] },
  { name: 'user list', options: [] },
];

/** What bash offers after these words, of which the last one is being written. */
function completed(...words: string[]): string[] {
  const script = `${completionScript('bash', 'my-tool', COMMANDS)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _my_tool; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', script, 'bash', 'my-tool', ...words], { encoding: 'utf8' });
  return printed.split('\n').filter(Boolean);
}

test('commands, their second words and their options are completed', () => {
  expect(completed('')).toEqual(['check', 'user']);
  expect(completed('us')).toEqual(['user']);
  expect(completed('user', '')).toEqual(['add', 'list']);
  expect(completed('user', 'add', 'somebody', '--')).toEqual(['--role', '--help']);
  expect(completed('check', '--j')).toEqual(['--json']);
  expect(completed('check', '')).not.toContain('add');
  expect(completed('$(touch /tmp/never)', '')).toEqual([]);
});

test.each(SHELLS)('the script for %s names every command and option', (shell) => {
  const script = completionScript(shell, 'my-tool', COMMANDS);
  for (const word of ['check', 'user', 'add', 'list', 'json', 'schemas', 'role']) expect(script).toContain(word);
});

test('a word that is nearly right is suggested, and nothing that was written comes back', () => {
  expect(suggestion('chekc', ['check', 'serve'])).toBe('; did you mean "check"?');
  expect(suggestion('destroy', ['check', 'serve'])).toBe('');
  expect(suggestion('x'.repeat(1_000_000), ['check'])).toBe('');
});
