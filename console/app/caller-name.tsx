import { graphql } from '../api/index.ts';
import { useLoaded } from '../parts/index.ts';
import { followLink, hrefOf } from '../routing/index.ts';
import { claims, kindOfSession, query } from '../session/index.ts';
import { shell } from '../texts/index.ts';

const CALLER = graphql(`
  query auth_user_me {
    auth_user_me {
      username
      tenant_name
    }
  }
`);

/** Who is logged in here, which leads to the account: other tabs of the browser may be somebody else's. */
export function CallerName() {
  const kind = kindOfSession.value;
  const { value: user, error } = useLoaded(
    async (signal) => (kind === 'login' ? (await query(CALLER, {}, { signal })).auth_user_me : undefined),
    [],
  );
  const named = user ? shell.caller.user(user.username, user.tenant_name) : undefined;
  // Not every role sees the field.
  const isUnnamed = kind !== 'login' || user === null || error !== undefined;
  const name = named ?? (isUnnamed ? (claims.value?.userId ?? shell.caller.kinds[kind ?? 'login']) : undefined);
  if (name === undefined) return null;
  return (
    <a class="caller" href={hrefOf('account')} title={name} onClick={(event) => followLink(event, 'account')}>
      <span class="visually-hidden">{shell.caller.label} </span>
      <bdi>{name}</bdi>
    </a>
  );
}
