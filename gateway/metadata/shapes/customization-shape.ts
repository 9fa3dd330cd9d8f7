import { z } from 'zod';
import { mapping } from './mapping.ts';
import { graphqlName, listOf } from './shared-shapes.ts';

const newNames = z
  .record(z.string(), graphqlName)
  .nullish()
  .transform((names) => names ?? {});

const affix = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

const typeNames = newNames.superRefine((names, context) => {
  const first = new Map<string, string>();
  for (const [type, name] of Object.entries(names)) {
    const other = first.get(name);
    if (other === undefined) first.set(name, type);
    else context.addIssue({ code: 'custom', path: [type], message: `"${other}" already has the name "${name}"` });
  }
});

const fieldNames = newNames.superRefine((names, context) => {
  for (const field of Object.keys(names).filter((one) => one.startsWith('__')))
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `"${field}" is a field of introspection, which has the same name everywhere`,
    });
});

/** `customization` of a remote schema: other names for its types and fields, and a namespace field for its root fields. */
export const customization = mapping({
  root_fields_namespace: graphqlName.nullish(),
  type_names: mapping({ prefix: affix, suffix: affix, mapping: typeNames }).nullish(),
  field_names: listOf(mapping({ parent_type: graphqlName, prefix: affix, suffix: affix, mapping: fieldNames })),
}).superRefine(({ field_names }, context) => {
  const types = field_names.map(({ parent_type }) => parent_type);
  for (const [index, type] of types.entries())
    if (types.indexOf(type) < index)
      context.addIssue({
        code: 'custom',
        path: ['field_names', index, 'parent_type'],
        message: `the fields of "${type}" already have names: write all of them in one entry`,
      });
});
