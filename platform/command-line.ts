import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closest } from './slips.ts';

/** A command for completion: one or two words, and its options without their dashes. */
export interface CommandWords {
  readonly name: string;
  readonly options: readonly string[];
}

/** The directory of the package, found from the sources and from the compiled code: only it holds a package.json. */
export function packageDirectory(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** The version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Longer than any command or option. What is longer is not compared. */
const LONGEST_WORD = 40;

/** `; did you mean "…"?`, or an empty text where no known word is near. What was written is not repeated. */
export function suggestion(written: string, known: readonly string[]): string {
  const near = written.length > LONGEST_WORD ? undefined : closest(written, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** A script that completes the commands and options of `program`, files where neither fits, to be sourced by the shell. */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  const cases = completionCases(commands);
  return { bash, zsh, fish }[shell](program, cases);
}

/** What may follow after the words before the cursor. */
interface CompletionCase {
  readonly before: string;
  /** Whether any words may stand between `before` and the cursor. */
  readonly further: boolean;
  readonly words: readonly string[];
}

function completionCases(commands: readonly CommandWords[]): readonly CompletionCase[] {
  const first = [...new Set(commands.map(({ name }) => firstWord(name)))];
  const pairs = first.flatMap((word) => {
    const second = commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name }) => name.slice(word.length + 1));
    return second.length > 0 ? [{ before: word, further: false, words: second }] : [];
  });
  return [
    { before: '', further: false, words: first },
    ...pairs,
    ...commands.map(({ name, options }) => ({
      before: name,
      further: true,
      words: [...options, 'help'].map((option) => `--${option}`),
    })),
  ];
}

function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

function functionName(program: string): string {
  return `_${program.replaceAll('-', '_')}`;
}

function shellPatterns({ before, further }: CompletionCase): string {
  return further ? `"${before}"|"${before} "*` : `"${before}"`;
}

function bash(program: string, cases: readonly CompletionCase[]): string {
  return [
    `${functionName(program)}() {`,
    '  local words=""',
    `  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in`,
    ...cases.map((one) => `    ${shellPatterns(one)}) words="${one.words.join(' ')}" ;;`),
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    `complete -o default -F ${functionName(program)} ${program}`,
    '',
  ].join('\n');
}

function zsh(program: string, cases: readonly CompletionCase[]): string {
  return [
    `#compdef ${program}`,
    `${functionName(program)}() {`,
    `  case "\${words[2,CURRENT-1]}" in`,
    ...cases.map((one) => `    ${shellPatterns(one)}) compadd -- ${one.words.join(' ')} ;;`),
    '  esac',
    '  _files',
    '}',
    `compdef ${functionName(program)} ${program}`,
    '',
  ].join('\n');
}

function fish(program: string, cases: readonly CompletionCase[]): string {
  const before = "string join ' ' (commandline -opc)[2..]";
  return [
    ...cases.map(({ before: written, further, words }) => {
      const test = further ? `string match -qr '^${written}( |$)' (${before})` : `test "$(${before})" = "${written}"`;
      return words
        .map((word) =>
          word.startsWith('--')
            ? `complete -c ${program} -n "${quoted(test)}" -l ${word.slice(2)}`
            : `complete -c ${program} -f -n "${quoted(test)}" -a ${word}`,
        )
        .join('\n');
    }),
    '',
  ].join('\n');
}

/** Inside double quotes of fish. */
function quoted(text: string): string {
  return text.replace(/[\\"$]/g, '\\$&');
}
