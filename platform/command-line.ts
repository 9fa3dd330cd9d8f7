import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory, sourcePositions } from './own-code/index.ts';
import { closest } from './spelling.ts';

export { packageDirectory, sourcePositions };

/** A command for completion: one or two words, its options without dashes, and the possible values of its first argument. */
export interface CommandWords {
  readonly name: string;
  readonly options: readonly string[];
  readonly values?: readonly string[];
}

/** Returns the version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Longer than any command or option. Longer words are not compared. */
const LONGEST_WORD = 40;

/** Returns `; did you mean "…"?`, or an empty text if no known word is similar. The written word is not repeated. */
export function commandSuggestion(written: string, known: readonly string[]): string {
  const near = written.length > LONGEST_WORD ? undefined : closest(written, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** Invalid arguments on the command line. The exit code is 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A shell without completion. */
export function unknownShell(): UsageError {
  return new UsageError(`expected one of ${SHELLS.join(', ')}`);
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * Returns a script that completes the commands of `program`, options after a dash, and files elsewhere. The shell has to source
 * the script. For zsh, it may also be a file `_<program>` in a directory of `fpath`.
 */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  const cases = completionCases(commands);
  return { bash, zsh, fish }[shell](program, cases);
}

/** The words that may follow the words before the cursor. */
interface CompletionCase {
  readonly before: string;
  /** Whether further words may stand between `before` and the cursor. */
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
    ...commands.flatMap(({ name, values = [] }) =>
      values.length > 0 ? [{ before: name, further: false, words: values }] : [],
    ),
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

/** Sets `words` to the words that may follow `before`, an expression of bash or zsh for the words before the cursor. */
function wordsOfCase(before: string, current: string, cases: readonly CompletionCase[]): readonly string[] {
  const branches = (further: boolean) =>
    cases
      .filter((one) => one.further === further)
      .map((one) => `    ${shellPatterns(one)}) words_=(${one.words.join(' ')}) ;;`);
  return [
    '  local -a words_',
    // Options are completed only after a dash. Otherwise they would appear between files.
    `  if [[ "${current}" == -* ]]; then case "${before}" in`,
    ...branches(true),
    `  esac; else case "${before}" in`,
    ...branches(false),
    '  esac; fi',
  ];
}

function shellPatterns({ before, further }: CompletionCase): string {
  return further ? `"${before}"|"${before} "*` : `"${before}"`;
}

function bash(program: string, cases: readonly CompletionCase[]): string {
  return [
    `${functionName(program)}() {`,
    ...wordsOfCase(`\${COMP_WORDS[*]:1:COMP_CWORD-1}`, `\${COMP_WORDS[COMP_CWORD]}`, cases),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    '  COMPREPLY=($(compgen -W "${words_[*]}" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    `complete -o default -F ${functionName(program)} ${program}`,
    '',
  ].join('\n');
}

function zsh(program: string, cases: readonly CompletionCase[]): string {
  const name = functionName(program);
  return [
    `#compdef ${program}`,
    `${name}() {`,
    ...wordsOfCase(`\${words[2,CURRENT-1]}`, `\${words[CURRENT]}`, cases),
    '  if (( $#words_ )); then compadd -a words_; else _files; fi',
    '}',
    // zsh runs a file of fpath as the function itself at its first use.
    `if [[ "$funcstack[1]" == _${program} ]]; then ${name} "$@"; else`,
    '  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }',
    `  compdef ${name} ${program}`,
    'fi',
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
            ? `complete -c ${program} -n "${quotedForFish(test)}" -l ${word.slice(2)}`
            : `complete -c ${program} -f -n "${quotedForFish(test)}" -a ${word}`,
        )
        .join('\n');
    }),
    '',
  ].join('\n');
}

/** Quotes a text inside double quotes of fish. */
function quotedForFish(text: string): string {
  return text.replace(/[\\"$]/g, '\\$&');
}
