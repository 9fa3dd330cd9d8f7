/** The events of the audit log with their meanings, which never change. */
export const AUDIT_EVENTS = {
  login: 'a user logged in, or a login was refused',
  refresh: 'a refresh token was rotated, or a refresh was refused',
  'refresh.reuse': 'a refresh token was used twice, so its session was ended',
  logout: 'one or all sessions of a user were ended by a token of theirs, or that was tried',
  'session.revoke': 'sessions of a user were ended by the user or an administrator',
  'password.change': 'a user gave themselves a new password, or tried to',
  'password.reset': 'an administrator had a new password generated',
  'user.add': 'a user was added',
  'user.import': 'users were added from a file',
  'user.disable': 'a user was locked out',
  'user.enable': 'a user was let in again',
  'user.delete': 'a user was deleted for good',
  'account.release': 'failed logins of a user were forgotten',
  'user.set-roles': 'a user was given other roles',
  'user.set-claims': 'a user was given other extra claims',
  'tenant.add': 'a tenant was added',
  'tenant.disable': 'a tenant was locked out',
  'tenant.enable': 'a tenant was let in again',
  'tenant.set-assignable': 'an operator set what administrators of a tenant may give',
  'tenant.set-claims': 'a tenant was given other extra claims',
  'role.set-claims': 'a role was given other extra claims',
  'client.add': 'a service account was added',
  'client.revoke': 'a service account lost its secret and its tokens',
  'client.authenticate': 'a service account did not show its secret',
  'client.token': 'a service account was given an access token, or was refused one',
  'client.revoke-token': 'a service account gave up an access token',
  'audit.read': 'a read of the audit log was refused',
  'admin.access': 'a caller who administers nothing was refused a field of administrators',
  'key.publish': 'a signing key was made and published',
  'key.activate': 'a signing key began to sign',
  'key.remove': 'a signing key was deleted',
  'key.reseal': 'signing keys were encrypted under another key',
  'pepper.accept': 'an operator had another pepper taken for a version',
} as const;

export type AuditEvent = keyof typeof AUDIT_EVENTS;

/** `throttled`: refused without checking the credentials. `busy`: not processed for lack of capacity. */
export const AUDIT_OUTCOMES = ['success', 'refused', 'throttled', 'busy'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
