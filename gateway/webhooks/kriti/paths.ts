import type { Expression } from './syntax.ts';

/** A value that a template reads, such as `$body.input.name`: the variable, and the keys that do not depend on a value. */
export interface TemplatePath {
  readonly variable: string;
  readonly keys: readonly string[];
}

/** Returns every path into a variable that an expression reads. */
export function templatePathsOf(expression: Expression): readonly TemplatePath[] {
  const paths: TemplatePath[] = [];
  const pending: Expression[] = [expression];
  for (let one = pending.pop(); one; one = pending.pop())
    if (one.kind === 'path' && one.from.kind === 'variable') {
      const keys: string[] = [];
      for (const { key } of one.steps) {
        const text = constantText(key);
        if (text === undefined) break;
        keys.push(text);
      }
      paths.push({ variable: one.from.name, keys });
      pending.push(...one.steps.map(({ key }) => key));
    } else {
      const name =
        one.kind === 'call' && one.function === 'getSessionVariable' ? constantText(one.argument) : undefined;
      if (name !== undefined) paths.push({ variable: '$session_variables', keys: [name] });
      pending.push(...innerOf(one));
    }
  return paths;
}

/** Returns the text of an expression that does not depend on a value. */
function constantText(expression: Expression): string | undefined {
  if (expression.kind === 'literal') return typeof expression.value === 'string' ? expression.value : undefined;
  if (expression.kind !== 'text') return undefined;
  return expression.parts.every((part) => typeof part === 'string') ? expression.parts.join('') : undefined;
}

function innerOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'variable':
      return [];
    case 'text':
      return expression.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map(([, value]) => value);
    case 'path':
      return [expression.from, ...expression.steps.map(({ key }) => key)];
    case 'if':
      return [...expression.cases.flatMap(({ condition, value }) => [condition, value]), expression.otherwise];
    case 'range':
      return [expression.over, expression.body];
    case 'call':
      return [expression.argument];
    case 'operation':
      return [expression.left, expression.right];
  }
}
