import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandSuggestion, completionScript, SHELLS, type Shell } from '../../platform/command-line.ts';

const COMMANDS = [
  { name: 'check', options: ['json', 'schemas'] },
  { name: 'user add', options: ['role'] },
  { name: 'user list', options: [] },
  { name: 'completion', options: [], values: ['bash', 'zsh'] },
];

/** What a shell offers after these words, of which the last one is being written, in a directory with one file. */
type Complete = (words: readonly string[], directory: string) => string[];

function bash(words: readonly string[], cwd: string): string[] {
  const script = `${completionScript('bash', 'my-tool', COMMANDS)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _my_tool; printf '%s\\n' "\${COMPREPLY[@]}"
[ -n "\${COMPREPLY[*]}" ] || compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"`;
  return lines(execFileSync('bash', ['-c', script, 'bash', 'my-tool', ...words], { encoding: 'utf8', cwd }));
}

/** In a terminal, since zsh completes nowhere else: what its completion adds is written to a file. */
function zshBy(install: (directory: string) => string): Complete {
  return (words, cwd) => {
    const work = mkdtempSync(join(tmpdir(), 'portico-zsh-'));
    const [setup, found] = [join(work, 'setup'), join(work, 'found')];
    writeFileSync(found, '');
    writeFileSync(
      setup,
      `PROMPT=; bindkey '^I' complete-word; zstyle ':completion:*' list-prompt ''
${install(work)}
compadd() { local -a added; builtin compadd -O added "$@"; print -rl -- $added >>${found}; builtin compadd "$@"; }
comppostfuncs=(exit); print ready`,
    );
    const typed = `my-tool ${words.join(' ')}`;
    const script = `zmodload zsh/zpty; zpty shell ZDOTDIR=${work} zsh -f -i; zpty -w shell 'source ${setup}'
zpty -r shell line '*ready*'; zpty -w -n shell $1$'\\t'; while zpty -r shell line; do :; done`;
    try {
      execFileSync('zsh', ['-f', '-c', script, 'zsh', typed], { cwd, stdio: 'ignore' });
      return lines(readFileSync(found, 'utf8'));
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  };
}

const zshSourced = zshBy((work) => {
  const file = join(work, 'script');
  writeFileSync(file, completionScript('zsh', 'my-tool', COMMANDS));
  return `source ${file}`;
});

const zshInstalled = zshBy((work) => {
  writeFileSync(join(work, '_my-tool'), completionScript('zsh', 'my-tool', COMMANDS));
  return `fpath=(${work} $fpath); autoload -Uz compinit; compinit -i -d ${join(work, 'dump')}`;
});

function fish(words: readonly string[], cwd: string): string[] {
  const script = `${completionScript('fish', 'my-tool', COMMANDS)}\ncomplete -C $argv[1]`;
  const typed = ['my-tool', ...words].join(' ');
  const printed = execFileSync('fish', ['--no-config', '-c', script, typed], { encoding: 'utf8', cwd });
  return lines(printed).map((line) => line.split('\t')[0] ?? '');
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

const WAYS: readonly (readonly [string, Shell, Complete])[] = [
  ['bash', 'bash', bash],
  ['zsh, sourced', 'zsh', zshSourced],
  ['zsh, from a directory of fpath', 'zsh', zshInstalled],
  ['fish', 'fish', fish],
];
const missing = SHELLS.filter((shell) => !isInstalled(shell));
if (missing.length > 0) process.stderr.write(`\nCOMPLETION NOT TESTED IN ${missing.join(', ')}: not installed here\n`);

for (const [name, shell, complete] of WAYS)
  (missing.includes(shell) ? describe.skip : describe)(`completion in ${name}`, () => {
    /** Without the order, which is the shell's. */
    const completed = (...words: string[]) => {
      const directory = mkdtempSync(join(tmpdir(), 'portico-completion-'));
      writeFileSync(join(directory, 'a-file'), '');
      try {
        return complete(words, directory).sort();
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    };

    test('offers commands and their second words', () => {
      expect(completed('')).toEqual(['check', 'completion', 'user']);
      expect(completed('us')).toEqual(['user']);
      expect(completed('user', '')).toEqual(['add', 'list']);
    });

    test('offers options after a dash, and files or what the first argument may be elsewhere', () => {
      expect(completed('user', 'add', 'somebody', '--')).toEqual(['--help', '--role']);
      expect(completed('check', '--j')).toEqual(['--json']);
      expect(completed('check', '')).toEqual(['a-file']);
      expect(completed('completion', '')).toEqual(['bash', 'zsh']);
    });
  });

(missing.includes('bash') ? test.skip : test)('completion does not run the words of the command line', () => {
  expect(bash(['$(touch /tmp/never)', ''], '/dev')).not.toContain('check');
});

test('a word that is nearly right is suggested, and nothing that was written comes back', () => {
  expect(commandSuggestion('chekc', ['check', 'serve'])).toBe('; did you mean "check"?');
  expect(commandSuggestion('destroy', ['check', 'serve'])).toBe('');
  expect(commandSuggestion('x'.repeat(1_000_000), ['check'])).toBe('');
});
