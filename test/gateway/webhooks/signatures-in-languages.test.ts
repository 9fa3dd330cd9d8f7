import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isInstalled } from '../../installed.ts';
import { pageBlocks } from '../../readme-blocks.ts';
import { keeper } from '../harness/index.ts';
import { action, openActionWorld } from '../sources/action-world.ts';

const SECRET = 'a secret of all webhooks, known to both: ü€😀';
const PAGE = fileURLToPath(new URL('../../../docs/webhook-signatures.md', import.meta.url));
const ARGUMENTS = ['SECRET', 'HEADER'];

/** A language of the page: how its block becomes a program that reads a body and prints whether its signature is right. */
const LANGUAGES = [
  {
    language: 'js',
    command: 'node',
    file: 'verify.mjs',
    program: (block: string) =>
      `${block}\nimport { readFileSync } from 'node:fs';\n` +
      'console.log(verifySignature(process.env.SECRET, process.env.HEADER, readFileSync(0)));',
  },
  {
    language: 'python',
    command: 'python3',
    file: 'verify.py',
    program: (block: string) =>
      `${block}\nimport os, sys\nprint(str(verify_signature(os.environ["SECRET"], os.environ.get("HEADER"), sys.stdin.buffer.read())).lower())`,
  },
  {
    language: 'ruby',
    command: 'ruby',
    file: 'verify.rb',
    program: (block: string) => `${block}\nputs signature_valid?(ENV["SECRET"], ENV["HEADER"], $stdin.binmode.read)`,
  },
  {
    language: 'php',
    command: 'php',
    file: 'verify.php',
    program: (block: string) =>
      `<?php\n${block}\n$header = getenv('HEADER');\n` +
      `echo var_export(signature_valid(getenv('SECRET'), $header === false ? null : $header, file_get_contents('php://stdin')), true);`,
  },
  {
    language: 'go',
    command: 'gofmt',
    file: 'verify.go',
    program: (block: string) => `package main\n\n${block}`,
  },
];

const GO_MAIN = `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	body, _ := io.ReadAll(os.Stdin)
	fmt.Println(VerifySignature(os.Getenv("SECRET"), os.Getenv("HEADER"), body))
}
`;

const directory = mkdtempSync(join(tmpdir(), 'portico-signatures-'));
const { keep, close } = keeper();
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await close();
});

const world = await keep(
  openActionWorld({
    types: 'type Query { all(text: String): Int }',
    actions: [action('all')],
    environment: { PORTICO_WEBHOOK_SECRET: SECRET },
  }),
);
await world.call('query ($text: String) { all(text: $text) }', { variables: { text: 'ü€😀' } });
const received = world.received();
const header = received.headers['x-portico-signature'] as string;
const body = received.text;

function signed(seconds: number, text = body): string {
  return `t=${seconds},v1=${createHmac('sha256', SECRET).update(`${seconds}.${text}`).digest('hex')}`;
}

const now = Math.floor(Date.now() / 1000);
const digest = /v1=([0-9a-f]+)/.exec(header)?.[1] ?? '';
const time = /t=(\d+)/.exec(header)?.[1] ?? '';

const RIGHT: readonly [string, string, string][] = [
  ['the gateway’s own', header, body],
  ['with two secrets while one is changed', `t=${time},v1=${'0'.repeat(64)},v1=${digest}`, body],
  ['with another version', `v2=abc,t=${time},v1=${digest},x`, body],
  ['of an empty body', signed(now, ''), ''],
  ['of a clock that is four minutes behind', signed(now - 240), body],
];
const WRONG: readonly [string, string | undefined, string][] = [
  ['none', undefined, body],
  ['an empty one', '', body],
  ['only a time', `t=${time}`, body],
  ['only a digest', `v1=${digest}`, body],
  ['of another body', header, `${body} `],
  ['of an hour ago', signed(now - 3_600), body],
  ['of in an hour', signed(now + 3_600), body],
  ['with another time', header.replace(time, String(Number(time) + 1)), body],
  ['with a time that is no number', `t=${time}x,v1=${digest}`, body],
  ['with a huge time', `t=${'9'.repeat(400)},v1=${digest}`, body],
  ['with a negative time', `t=-${time},v1=${digest}`, body],
  ['with a shorter digest', `t=${time},v1=${digest.slice(0, 62)}`, body],
  ['with a digest of characters', `t=${time},v1=ü€😀`, body],
  ['with a digest without value', `t=${time},v1`, body],
  ['of version 2 alone', `t=${time},v2=${digest}`, body],
];

describe.each(LANGUAGES)('the verification in $language', ({ language, command, file, program }) => {
  const verifying = isInstalled(command, `the verification of signatures in ${language}`) ? test : test.skip;
  let run = [command === 'node' ? process.execPath : command, file];

  beforeAll(() => {
    const [block = ''] = pageBlocks(PAGE, language);
    writeFileSync(join(directory, file), program(block));
    if (language !== 'go') return;
    writeFileSync(join(directory, 'main.go'), GO_MAIN);
    run = [join(directory, 'verify')];
    spawnSync('go', ['build', '-o', 'verify', 'verify.go', 'main.go'], {
      cwd: directory,
      env: { ...process.env, GO111MODULE: 'off' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });

  function verify(given: string | undefined, text: string): string {
    const [first = '', ...rest] = run;
    const { [ARGUMENTS[1] ?? '']: _, ...environment } = process.env;
    const { stdout, stderr } = spawnSync(first, rest, {
      cwd: directory,
      input: text,
      encoding: 'utf8',
      env: { ...environment, SECRET, ...(given !== undefined && { HEADER: given }), LC_ALL: 'C.UTF-8' },
    });
    return stdout.trim() + stderr;
  }

  verifying.each(RIGHT)('accepts a signature: %s', (_name, given, text) => {
    expect(verify(given, text)).toBe('true');
  });

  verifying.each(WRONG)('rejects a signature: %s', (_name, given, text) => {
    expect(verify(given, text)).toBe('false');
  });
});

test('each block compares in constant time', () => {
  const compare = {
    js: 'timingSafeEqual',
    python: 'compare_digest',
    ruby: 'secure_compare',
    php: 'hash_equals',
    go: 'hmac.Equal',
  };
  for (const [language, call] of Object.entries(compare)) expect(pageBlocks(PAGE, language)[0]).toContain(call);
});
