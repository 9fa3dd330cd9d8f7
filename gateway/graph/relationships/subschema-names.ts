import type { GraphQLSchema } from 'graphql';
import type { Subschema } from '../../sources/index.ts';

/** What a service's own names are in the graph. */
export interface GraphNames {
  /** What is to be seen of the service, in the graph's names. */
  readonly schema: GraphQLSchema;
  /** The field that the root fields stand in; undefined when they stand at the root. */
  readonly namespace: string | undefined;
  type(own: string): string;
  /** @param type in the graph's names. */
  field(type: string, own: string): string;
}

export function namesInGraph({ schema, visible = schema, customized }: Subschema): GraphNames {
  if (!customized) return { schema: visible, namespace: undefined, type: (own) => own, field: (_, own) => own };
  const types = new Map([...customized.types].map(([renamed, own]) => [own, renamed]));
  const fields = new Map(
    [...customized.fields].map(([coordinate, own]) => {
      const [type = '', renamed = ''] = coordinate.split('.');
      return [`${type}.${own}`, renamed];
    }),
  );
  return {
    schema: visible,
    namespace: customized.namespace,
    type: (own) => types.get(own) ?? own,
    field: (type, own) => fields.get(`${type}.${own}`) ?? own,
  };
}
