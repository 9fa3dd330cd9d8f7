/** The events of the audit log with their meanings, which never change. */
export const AUDIT_EVENTS = {
  login: 'a user logged in, or a login was refused',
  refresh: 'a refresh token was rotated, or a refresh was refused',
  'refresh.reuse': 'a refresh token was used twice, so its session was ended',
  logout: 'one or all sessions of a user were ended with a token of the user, or an attempt to do so was made',
  'session.revoke': 'sessions of a user were ended by the user or an administrator',
  'password.change': 'a user changed their password, or tried to',
  'password.reset': 'an administrator generated a new password for a user',
  'user.add': 'a user was added',
  'user.import': 'users were added from a file',
  'user.disable': 'a user was locked out',
  'user.enable': 'a user was enabled again',
  'user.delete': 'a user was deleted permanently',
  'account.release': 'failed logins of a user were cleared',
  'user.set-roles': 'the roles of a user were changed',
  'user.set-claims': 'the extra claims of a user were changed',
  'tenant.add': 'a tenant was added',
  'tenant.disable': 'a tenant was locked out',
  'tenant.enable': 'a tenant was enabled again',
  'tenant.set-assignable': 'an operator set what administrators of a tenant may assign',
  'tenant.set-claims': 'the extra claims of a tenant were changed',
  'role.set-claims': 'the extra claims of a role were changed',
  'client.add': 'a service account was added',
  'client.revoke': 'a service account and its tokens were revoked',
  'client.authenticate': 'a service account failed to authenticate',
  'client.token': 'a service account received an access token, or its request was refused',
  'client.revoke-token': 'a service account revoked an access token',
  'audit.read': 'a read of the audit log was refused',
  'admin.access': 'a caller without administration rights was refused a field for administrators',
  'key.publish': 'a signing key was created and published',
  'key.activate': 'a signing key started signing',
  'key.remove': 'a signing key was deleted',
  'key.reseal': 'signing keys were encrypted with another key',
  'pepper.accept': 'an operator accepted a different pepper for a version',
} as const;

export type AuditEvent = keyof typeof AUDIT_EVENTS;

/** `throttled`: refused without checking the credentials. `busy`: not processed for lack of capacity. */
export const AUDIT_OUTCOMES = ['success', 'refused', 'throttled', 'busy'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
