import { describe, expect, test } from '@jest/globals';
import { parseTextTemplate } from '../../../gateway/webhooks/kriti/index.ts';
import { BINDINGS, render, renderText, renderUrl, withInput } from './render.ts';

describe('a template', () => {
  test.each([
    ['{}', {}],
    ['[]', []],
    ['null', null],
    ['true', true],
    ['-12.5e1', -125],
    ['""', ''],
    [
      '{"a": [1, 2, 3], "b": "hello world", "": {"c": {"d": null}}}',
      { a: [1, 2, 3], b: 'hello world', '': { c: { d: null } } },
    ],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
    ['"a { b } and \\u007b{ c"', 'a { b } and {{ c'],
  ])('that is JSON is that JSON: %s', (template, value) => {
    expect(render(template)).toEqual(value);
    if (!template.includes('u007b')) expect(render(template)).toEqual(JSON.parse(template));
  });

  test('has values put in where a value may stand', () => {
    expect(render('{"a": 1, "b": {{ 2 }}, "c": {{$body.input.tags}}, "d": [{{ $body.input.age }}]}')).toEqual({
      a: 1,
      b: 2,
      c: ['red', 'green', 'blue'],
      d: [27],
    });
  });

  test('has values put into texts', () => {
    expect(render('"Hello {{ $body.input.username }}, {{ 1 }} of {{$body.input.age}}, {{ true }}"')).toBe(
      'Hello jane, 1 of 27, true',
    );
    expect(render('"{{$body.input.nothing}}"')).toBe('null');
  });

  test('may use the values without braces', () => {
    expect(render('{"name": $body.input.username, "adult": $body.input.age >= 18}')).toEqual({
      name: 'jane',
      adult: true,
    });
  });

  test('may have comments and any white space', () => {
    expect(render('{ # a comment\n  "a" : {{ # another "one" }}\n $body.input.age\n}}\t}')).toEqual({ a: 27 });
  });

  test('may hold a map right inside of its braces', () => {
    expect(render('{{{"a": {"b": 1}}}}')).toEqual({ a: { b: 1 } });
  });

  test('keeps the last of two equal keys, as JSON does', () => {
    expect(render('{"a": 1, "a": 2}')).toEqual({ a: 2 });
  });
});

describe('a path', () => {
  test.each([
    ['{{ $body.input.tags[1] }}', 'green'],
    ["{{ $body['input']['a key'] }}", 'with a blank'],
    ['{{ $body["input"].username }}', 'jane'],
    ["{{$session_variables['x-hasura-user-id']}}", 'auth0|7'],
    ['{{ $session_variables.x-hasura-role }}', 'user'],
    ['{{ $body . input . tags [0] }}', 'red'],
    ['{{ $body.input.tags[size($body.input.tags) == 3 && 2 == 2] ?? 1 }}', Error],
    ['{{ ($body.input).age }}', 27],
    ['{{ head($body.input.articles).title }}', 'Elements'],
    ['{{ $body?.input?.age }}', 27],
    ['{{ $body?.nowhere }}', null],
    ['{{ $body?.nowhere.to.be.found[3] }}', null],
    ["{{ $body?['no where'] }}", null],
    ['{{ $body.input.tags?[7] }}', null],
    ['{{ $body.input.nothing?.more }}', null],
    ['{{ $body.input.username?.more }}', null],
    ['{{ $body?.nowhere ?? "else" }}', 'else'],
    ['{{ $body.input.nothing ?? $body?.nowhere ?? 3 }}', 3],
    ['{{ $body.input.admin ?? true }}', false],
  ])('%s', (template, value) => {
    if (value === Error) expect(() => render(template)).toThrow('the list has no element a boolean');
    else expect(render(template)).toEqual(value);
  });

  test.each([
    ['{{ $body.nowhere }}', 'there is no field "nowhere"'],
    ['{{ $body.input.tags[3] }}', 'the list has no element 3'],
    ['{{ $body.input.tags[0.5] }}', 'the list has no element 0.5'],
    ['{{ $body.input.tags.length }}', 'the list has no element "length"'],
    ['{{ $body.input.username.length }}', 'expected an object or a list to look "length" up in, found a text'],
    ['{{ $body.input.nothing.more }}', 'expected an object or a list to look "more" up in, found null'],
    ['{{ $body[$body.input.username] }}', 'there is no field a text'],
  ])('that leads nowhere is an error: %s', (template, message) => {
    expect(() => render(template)).toThrow(message);
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'sees no %s, which every object inherits',
    (name) => {
      expect(() => render(`{{ $body.${name} }}`)).toThrow('there is no field');
      expect(render(`{{ $body?.${name} }}`)).toBeNull();
      expect(render(`{{ "${name}" in $body }}`)).toBe(false);
    },
  );

  test('finds a field of that name that is really there', () => {
    const bindings = withInput(JSON.parse('{"__proto__": {"polluted": true}}'));
    const made = render('{"__proto__": {{ $body.input.__proto__.polluted }}}', bindings);
    expect(JSON.stringify(made)).toBe('{"__proto__":true}');
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(render('{{ fromPairs([["__proto__", 1]]) }}'))).toBe('{"__proto__":1}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('an operator', () => {
  test.each([
    ['1 == 1', true],
    ['"a" == "b"', false],
    ['{"a": [1, {"b": null}], "c": 2} == {"c": 2, "a": [1, {"b": null}]}', true],
    ['[1, 2] == [2, 1]', false],
    ['[1] == [1, 2]', false],
    ['{"a": 1} == {"b": 1}', false],
    ['null == false', false],
    ['1 == "1"', false],
    ['$body.input.age != 27', false],
    ['1 < 2', true],
    ['2 <= 2', true],
    ['"b" > "a"', true],
    ['1 >= 2', false],
    ['"red" in $body.input.tags', true],
    ['{"a": 1} in [{"a": 1}]', true],
    ['"username" in $body.input', true],
    ['"password" in $body.input', false],
    ['true && false', false],
    ['false || true', true],
    ['not true', false],
    ['not(false) && true', true],
    ['not $body.input.admin && $body.input.age > 18', true],
    ['not 1 == 2', true],
    ['not not true', true],
    ['1 == 1 && 2 == 2 || false', true],
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['$body?.nowhere ?? 3 == 3', true],
    ['"nowhere" in $body && $body.nowhere == 1', false],
    ['true || $body.nowhere', true],
    ['$body.input.age ?? $body.nowhere', 27],
  ])('%s', (template, value) => {
    expect(render(`{{ ${template} }}`)).toEqual(value);
  });

  test.each([
    ['1 && true', 'expected a boolean, found a number'],
    ['true && "yes"', 'expected a boolean, found a text'],
    ['null || true', 'expected a boolean, found null'],
    ['1 < "2"', 'cannot compare a number and a text'],
    ['[1] > [2]', 'cannot compare a list and a list'],
    ['1 in {"a": 1}', 'expected a text before "in", found a number'],
    ['1 in 1', 'expected a list or an object after "in", found a number'],
  ])('that does not fit its values is an error: %s', (template, message) => {
    expect(() => render(`{{ ${template} }}`)).toThrow(message);
  });
});

describe('a condition', () => {
  const template = `{{ if $body.input.age > 60 }} "old" {{ elif $body.input.age > 18 }} {"is": "grown up"} {{ else }} null {{ end }}`;

  test.each([
    [70, 'old'],
    [27, { is: 'grown up' }],
    [3, null],
  ])('chooses by the first that holds: %p', (age, value) => {
    expect(render(template, withInput({ age }))).toEqual(value);
  });

  test('may stand within texts, values and other conditions', () => {
    expect(
      render(
        '{"a": "x{{ if true }} "y" {{ else }} "z" {{ end }}", "b": [{{ if false }} 1 {{ else }} {{ if true }} 2 {{ else }} 3 {{ end }} {{ end }}]}',
      ),
    ).toEqual({ a: 'xy', b: [2] });
  });

  test('leaves alone what it does not choose', () => {
    expect(render('{{ if true }} 1 {{ else }} $body.nowhere {{ end }}')).toBe(1);
  });

  test('must be a boolean', () => {
    expect(() => render('{{ if $body.input.age }} 1 {{ else }} 2 {{ end }}')).toThrow(
      'expected a boolean, found a number',
    );
  });
});

describe('a range', () => {
  test('makes a list of a list', () => {
    expect(
      render(`{"articles": [
        {{ range _, x := $body.input.articles }}
          {{ if x.published && (x.length > 100) }}
            {"id": {{x.id}}, "title": {{x.title}}}
          {{ else }} null {{ end }}
        {{ end }}
      ]}`),
    ).toEqual({ articles: [[{ id: 0, title: 'Elements' }, null]] });
    expect(render('{{ range i, x := [1,2,3] }} ["item", {{ i }}, {{ x }}] {{ end }}')).toEqual([
      ['item', 0, 1],
      ['item', 1, 2],
      ['item', 2, 3],
    ]);
  });

  test('may be nested, each seeing the variables of those around it', () => {
    expect(
      render(
        '{{ range i, x := [[1, 2], [3]] }} {{ range j, y := x }} "{{i}}{{j}}{{y}}{{$body.input.age}}" {{ end }} {{ end }}',
      ),
    ).toEqual([['00127', '01227'], ['10327']]);
  });

  test('of an empty list is an empty list', () => {
    expect(render('{{ range _, x := [] }} {{ x }} {{ end }}')).toEqual([]);
  });

  test('of something else is an error', () => {
    expect(() => render('{{ range _, x := $body.input }} x {{ end }}')).toThrow(
      'expected a list to range over, found an object',
    );
  });

  test('does not leave its variables behind', () => {
    expect(() => render('[{{ range _, x := [1] }} x {{ end }}, {{ x }}]')).toThrow('unknown variable "x"');
  });
});

describe('a template of a text', () => {
  test('stands for itself outside of its braces', () => {
    expect(renderText('no "quotes", \\n escapes or # comments')).toBe('no "quotes", \\n escapes or # comments');
    expect(renderText('{{$body.input.username}}: {{ if $body.input.admin }} "admin" {{ else }} "user" {{ end }}')).toBe(
      'jane: user',
    );
    expect(renderText('')).toBe('');
  });

  test('makes texts of numbers and booleans, and no lists', () => {
    expect(renderText('{{ $body.input.age }}')).toBe('27');
    expect(renderText('{{ $body.input.admin }}')).toBe('false');
    expect(() => renderText('{{ $body.input.tags }}')).toThrow('cannot put a list into a text');
    expect(() => renderText('a{{ $body.input }}')).toThrow('cannot put an object into a text');
  });

  test('is null when it is nothing but a null', () => {
    expect(renderText('{{ $body.input?.page }}')).toBeNull();
    expect(renderText('page {{ $body.input?.page }}')).toBe('page null');
  });
});

describe('a template of a URL', () => {
  const hostile = (id: string) => withInput({ id });

  test('escapes the values that are put in, and leaves alone what it says itself', () => {
    expect(
      renderUrl("{{$base_url}}/users/{{$session_variables['x-hasura-user-id']}}?a=b&c={{$body.input.tags[0]}}"),
    ).toBe('https://api.test/v1/users/auth0%7C7?a=b&c=red');
  });

  test.each([
    ['../admin', 'https://api.test/v1/users/..%2Fadmin/x'],
    ['7?role=admin#', 'https://api.test/v1/users/7%3Frole%3Dadmin%23/x'],
    ['a b\r\nß', 'https://api.test/v1/users/a%20b%0D%0A%C3%9F/x'],
    ['%2e%2e', 'https://api.test/v1/users/%252e%252e/x'],
    ["\\'()*!", 'https://api.test/v1/users/%5C%27%28%29%2A%21/x'],
    ['\ud800', 'https://api.test/v1/users/%EF%BF%BD/x'],
  ])('lets no value out of its segment: %p', (id, url) => {
    expect(renderUrl('{{$base_url}}/users/{{$body.input.id}}/x', hostile(id))).toBe(url);
  });

  test.each(['.', '..'])('refuses the value %p, which would be a step upwards', (id) => {
    expect(() => renderUrl('{{$base_url}}/users/{{$body.input.id}}', hostile(id))).toThrow(
      'a value of a URL cannot consist of dots',
    );
    expect(() => renderUrl('{{$base_url}}/users/{{escapeUri($body.input.id)}}', hostile(id))).toThrow();
  });

  test('does not escape twice', () => {
    const bindings = hostile('a/b');
    expect(renderUrl('{{$base_url}}/{{escapeUri $body.input.id}}/{{ escapeUri($body.input.id) }}', bindings)).toBe(
      'https://api.test/v1/a%2Fb/a%2Fb',
    );
  });

  test('escapes values wherever the template puts them together', () => {
    const bindings = hostile('a/b');
    expect(renderUrl('{{ "{{$base_url}}/x/{{$body.input.id}}" }}', bindings)).toBe('https://api.test/v1/x/a%2Fb');
    expect(renderUrl('{{ concat([$base_url, "/x/", $body.input.id]) }}', bindings)).toBe('https://api.test/v1/x/a%2Fb');
    expect(renderUrl('{{$base_url}}{{ $body.input?.path ?? "/x/y" }}', bindings)).toBe('https://api.test/v1/x/y');
    expect(
      renderUrl(
        '{{$base_url}}{{ if $body.input.id == "a/b" }} "/x/{{$body.input.id}}" {{ else }} "/z" {{ end }}',
        bindings,
      ),
    ).toBe('https://api.test/v1/x/a%2Fb');
  });

  test('knows the values that it is given now, not those of the last time', () => {
    const template = parseTextTemplate('{{$base_url}}/{{$body.input.id}}', Object.keys(BINDINGS.variables));
    expect(template.url(hostile('1'), new Set(['$base_url']))).toBe('https://api.test/v1/1');
    expect(template.url(hostile('2'), new Set(['$base_url']))).toBe('https://api.test/v1/2');
    expect(template.url(hostile('3'), new Set())).toBe('https%3A%2F%2Fapi.test%2Fv1/3');
  });
});
