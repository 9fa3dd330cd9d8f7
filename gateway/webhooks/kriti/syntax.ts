/** A JSON value. */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | readonly TemplateValue[]
  | { readonly [name: string]: TemplateValue };

export type Operator = '||' | '&&' | '==' | '!=' | '<=' | '>=' | '<' | '>' | 'in' | '??';

/** One `.name`, `['name']` or `[0]` of a path. If it is optional, a missing value gives null. */
export interface KeyStep {
  readonly key: Expression;
  readonly optional: boolean;
  readonly at: number;
}

/** An expression of a template. `at` is its position, in characters from the start. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: TemplateValue }
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'path'; readonly from: Expression; readonly steps: readonly KeyStep[] }
  | { readonly kind: 'if'; readonly cases: readonly Case[]; readonly otherwise: Expression }
  | {
      readonly kind: 'range';
      readonly index: string | undefined;
      readonly item: string;
      readonly over: Expression;
      readonly body: Expression;
    }
  | { readonly kind: 'call'; readonly function: string; readonly argument: Expression }
  | { readonly kind: 'operation'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
);

export interface Case {
  readonly condition: Expression;
  readonly value: Expression;
}
