import { type DocumentNode, Kind, parse, print } from 'graphql';
import { defaultValueNode } from '../../graphql/schemas/index.ts';
import type { Relationship } from './relationship.ts';

/** Prints a relationship as a field of its type. */
export function relationshipField({ type, name, answer, clientArguments, description }: Relationship): DocumentNode {
  const inputs = clientArguments.map((argument) => {
    const fallback = defaultValueNode(argument);
    return `${argument.name}: ${String(argument.type)}${fallback ? ` = ${print(fallback)}` : ''}`;
  });
  const given = inputs.length > 0 ? `(${inputs.join(', ')})` : '';
  const descriptionText = description ? print({ kind: Kind.STRING, value: description }) : '';
  return parse(`extend type ${type} { ${descriptionText} ${name}${given}: ${String(answer)} }`);
}
