import { type Bindings, evaluate, insertedText, urlText } from './evaluate.ts';
import { parseBareText, parseJsonTemplate } from './parse.ts';
import { type TemplatePath, templatePathsOf } from './paths.ts';
import type { TemplateValue } from './syntax.ts';
import { Work } from './work.ts';

/** A parsed template that produces a JSON value. */
export interface Template {
  /** The paths that the template reads. */
  readonly paths: readonly TemplatePath[];
  /** The keys of the object that the template always produces. Undefined if the values decide what it produces. */
  readonly keys: readonly string[] | undefined;
  /** @throws KritiEvaluationError if the values are not what the template expects, or if evaluation exceeds its limits. */
  evaluate(bindings: Bindings): TemplateValue;
}

/** A parsed template that produces a text, such as a header's value. */
export interface TextTemplate {
  /** The paths that the template reads. */
  readonly paths: readonly TemplatePath[];
  /**
   * Returns the text. Null if the template is a single `{{ … }}` whose value is null.
   *
   * @throws KritiEvaluationError if the values are not what the template expects, or if evaluation exceeds its limits.
   */
  text(bindings: Bindings): string | null;
  /**
   * Returns the text as a URL or a query string. Values are escaped, except those of the variables in `trusted`.
   *
   * @throws KritiEvaluationError
   */
  url(bindings: Bindings, trusted: ReadonlySet<string>): string;
}

/**
 * Parses a template that produces a JSON value.
 *
 * @param variables the names that the template may use, such as `$body`.
 * @throws KritiSyntaxError
 */
export function parseTemplate(source: string, variables: readonly string[]): Template {
  const expression = parseJsonTemplate(source, variables);
  return {
    paths: templatePathsOf(expression),
    keys: expression.kind === 'map' ? expression.entries.map(([name]) => name) : undefined,
    evaluate: (bindings) => {
      const work = new Work(source);
      const value = evaluate(expression, { ...bindings, work });
      work.checkSize(value);
      return value;
    },
  };
}

/**
 * Parses a template that produces a text. Everything outside `{{ … }}` is literal.
 *
 * @param variables the names that the template may use, such as `$body`.
 * @throws KritiSyntaxError
 */
export function parseTextTemplate(source: string, variables: readonly string[]): TextTemplate {
  const expression = parseBareText(source, variables);
  return {
    paths: templatePathsOf(expression),
    text: (bindings) => {
      const evaluation = { ...bindings, work: new Work(source) };
      const [only, ...others] = expression.parts;
      const value = typeof only === 'object' && others.length === 0 ? evaluate(only, evaluation) : undefined;
      if (value === null) return null;
      return insertedText(value ?? evaluate(expression, evaluation), evaluation.work, expression.at);
    },
    url: (bindings, trusted) => urlText(expression, { ...bindings, work: new Work(source) }, trusted),
  };
}
