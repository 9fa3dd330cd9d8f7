import { describe, expect, test } from '@jest/globals';
import { KritiEvaluationError, KritiSyntaxError, parseTemplate } from '../../../gateway/webhooks/kriti/index.ts';
import { BINDINGS, render, renderText, withInput } from './render.ts';

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a template that is not right says where', () => {
  test.each([
    ['', 1, 1, 'expected a value, found the end of the template'],
    ['{"a": }', 1, 7, 'expected a value, found "}"'],
    ['{"a" 1}', 1, 6, 'expected ":", found "1"'],
    ['{"a": 1,\n "b": 2 3}', 2, 9, 'expected "," or "}", found "3"'],
    ['{"a": 1,}', 1, 9, 'expected a key in double quotes, found "}"'],
    ['[1, 2', 1, 6, 'expected "," or "]", found the end of the template'],
    ['"abc', 1, 1, 'the text that begins here has no end'],
    ['"a\\x"', 1, 3, 'expected one of the escapes of JSON, found "\\"'],
    ['{{ $body', 1, 9, 'expected "}}", found the end of the template'],
    ['{{ $body }', 1, 10, 'expected "}}", found "}"'],
    ['{{ $body. }}', 1, 11, 'expected the name of a field, found "}"'],
    ['{{ $body[0 }}', 1, 12, 'expected "]", found "}"'],
    [
      '{\n  "a": {{ $bodi.x }}\n}',
      2,
      11,
      'unknown variable "$bodi": expected one of $base_url, $body, $session_variables',
    ],
    ['{{ ACTIONS_URL }}', 1, 4, 'unknown variable "ACTIONS_URL"'],
    ['{{ trim("x") }}', 1, 4, 'unknown function "trim": expected one of getSessionVariable, escapeUri'],
    ['{{ size() }}', 1, 9, 'expected a value, found ")"'],
    ['{{ if true }} 1 {{ end }}', 1, 20, 'expected "elif" or "else", found "end"'],
    ['{{ if true }} 1', 1, 16, 'expected "{{ elif … }}" or "{{ else }}", found the end of the template'],
    ['{{ if true }} {{ else }} 1 {{ end }}', 1, 18, 'expected a value, found "else"'],
    ['{{ range x := $body }} x {{ end }}', 1, 12, 'expected ",", found ":"'],
    ['{{ range _, if := $body }} 1 {{ end }}', 1, 13, '"if" cannot name a variable'],
    ['{{ range _, x := $body }} x', 1, 28, 'expected "{{ end }}", found the end of the template'],
    ['{"{{$body}}": 1}', 1, 3, 'a key cannot contain {{ … }}'],
    ['1 2', 1, 3, 'expected the end of the template, found "2"'],
    ['{{ 1 + 1 }}', 1, 6, 'expected "}}", found "+"'],
    ['01', 1, 2, 'expected the end of the template, found "1"'],
  ])('%j', (template, line, column, message) => {
    const error = errorOf(() => render(template));
    expect(error).toBeInstanceOf(KritiSyntaxError);
    expect(error).toMatchObject({ line, column, message: expect.stringContaining(message) });
  });

  test('in a text as well', () => {
    expect(errorOf(() => renderText('a\nb{{ $bodi }}'))).toMatchObject({ line: 2, column: 5 });
    expect(errorOf(() => renderText('a{{ $body'))).toBeInstanceOf(KritiSyntaxError);
  });
});

describe('a template that does not fit its values', () => {
  test('says where, and what it found, but never a value', () => {
    const secret = withInput({ password: 'hunter2', list: ['hunter2'] });
    for (const template of [
      '{\n "a": {{ $body.input.password.x }}}',
      '{\n "a": {{ $body.input[$body.input.password] }}}',
      '{\n "a": {{ $body.input.password && true }}}',
      '{\n "a": {{ 1 < $body.input.password }}}',
      '{\n "a": {{ removeNulls($body.input.password) }}}',
      '{\n "a": {{ getSessionVariable($body.input.password) }}}',
      '{\n "a": "{{ $body.input.list }}"}',
      '{\n "a": {{ range _, x := $body.input.password }} x {{ end }}}',
    ]) {
      const error = errorOf(() => render(template, secret)) as KritiEvaluationError;
      expect(error).toBeInstanceOf(KritiEvaluationError);
      expect(error.line).toBe(2);
      expect(error.message).not.toContain('hunter2');
    }
  });
});

describe('a template keeps within bounds', () => {
  const many = withInput({ list: Array.from({ length: 20_000 }, (_, index) => index) });

  test('it may be long, but not without end', () => {
    expect(render(`"${'x'.repeat(99_998)}"`)).toHaveLength(99_998);
    expect(() => render(`"${'x'.repeat(99_999)}"`)).toThrow('a template may have 100000 characters at most');
  });

  test.each([
    ['lists', '[', ']'],
    ['brackets', '(', ')'],
    ['holes', '{{', '}}'],
    ['maps', '{"a":', '}'],
    ['calls', 'not(', ')'],
    ['bare calls', 'not ', ''],
    ['functions', 'size ', ''],
    ['texts', '"{{', '}}"'],
  ])('it may not nest without end: %s', (_, open, close) => {
    const nested = (depth: number) => `${open.repeat(depth)}true${close.repeat(depth)}`;
    expect(() => parseTemplate(nested(40), [])).not.toThrow();
    expect(errorOf(() => parseTemplate(nested(10_000), []))).toBeInstanceOf(KritiSyntaxError);
  });

  test('it may not have operators without end', () => {
    expect(render(`{{ ${'true && '.repeat(100)}true }}`)).toBe(true);
    expect(errorOf(() => render(`{{ ${'true && '.repeat(20_000)}true }}`))).toBeInstanceOf(KritiSyntaxError);
    const rows = (depth: number): string => (depth === 0 ? 'true' : `(${rows(depth - 1)})${' && true'.repeat(100)}`);
    expect(errorOf(() => render(rows(90)))).toBeInstanceOf(KritiEvaluationError);
  });

  test('it ranges over what a client sent', () => {
    expect(render('{{ range i, x := $body.input.list }} {"n": {{x}}} {{ end }}', many)).toHaveLength(20_000);
  });

  test.each([
    '{{ range _, x := $body.input.list }} {{ range _, y := $body.input.list }} 1 {{ end }} {{ end }}',
    '{{ range _, x := $body.input.list }} {{ $body == $body }} {{ end }}',
    '{{ range _, x := $body.input.list }} {{ -1 in $body.input.list }} {{ end }}',
    '{{ range _, x := $body.input.list }} {{ concat([$body.input.list, $body.input.list]) }} {{ end }}',
    '{{ range _, x := $body.input.list }} {{ inverse($body.input.list) }} {{ end }}',
    '{{ range _, x := $body.input.list }} {{ $body }} {{ end }}',
  ])('it stops when it is too much: %s', (template) => {
    const error = errorOf(() => render(template, many)) as Error;
    expect(error).toBeInstanceOf(KritiEvaluationError);
    expect(error.message).toMatch(/too much to do|too large/);
  });

  test('it does not double a text again and again', () => {
    const doubled = (depth: number): string =>
      depth === 0
        ? '{{ range _, x := [$body.input.text] }} 1 {{ end }}'
        : `{{ range _, x := [concat([x, x])] }} ${depth === 1 ? 'x' : doubled(depth - 1)} {{ end }}`;
    const template = `{{ range _, x := [$body.input.text] }} ${doubled(40)} {{ end }}`;
    expect(errorOf(() => render(template, withInput({ text: 'ab' })))).toBeInstanceOf(KritiEvaluationError);
  });

  test('it does not follow values that are nested without end', () => {
    const deep = JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) as unknown;
    expect(() => render('{{ $body.input }}', withInput(deep))).toThrow('values are nested too deeply');
    expect(() => render('{{ $body == $body }}', withInput(deep))).toThrow('values are nested too deeply');
  });

  test('and the next evaluation starts afresh', () => {
    const template = parseTemplate('{{ range _, x := $body.input.list }} x {{ end }}', Object.keys(BINDINGS.variables));
    for (let count = 0; count < 60; count++) expect(template.evaluate(many)).toHaveLength(20_000);
  });
});
