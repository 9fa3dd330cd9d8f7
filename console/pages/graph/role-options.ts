import { graph as texts } from '../../texts/index.ts';

/** The choices of a role; `*` stands for those that the metadata does not name. */
export function roleOptions(roles: readonly string[]): readonly { readonly value: string; readonly label: string }[] {
  return roles.map((value) => ({ value, label: value === '*' ? texts.anyOther : value }));
}
