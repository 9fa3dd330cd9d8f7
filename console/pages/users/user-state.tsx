import { administration } from '../../texts/index.ts';
import type { User } from './documents.ts';

/** Whether a user may log in. */
export function UserState({ user }: { readonly user: User }) {
  return user.disabled_at === null ? (
    <span class="badge good">{administration.state.enabled}</span>
  ) : (
    <span class="badge bad">{administration.state.disabled}</span>
  );
}
