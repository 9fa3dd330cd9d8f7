import type { ConfirmDialogProps, ShownSecret } from '../../administration/index.ts';

/** What opens above the page of a user. */
export type OpenDialog =
  | ({ readonly kind: 'confirm' } & Omit<ConfirmDialogProps, 'onClose'>)
  | { readonly kind: 'secret'; readonly secret: ShownSecret };
