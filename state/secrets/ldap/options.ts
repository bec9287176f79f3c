import { option } from '../../kernel/options/options.ts'
import { list, map, text, uint, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'

const ldapUser = struct({
  password: text,
  groups: optional(described(list(text), 'Names of the groups')),
})

const ldapDirectory = struct({
  users: optional(described(map(ldapUser), 'People by name')),
  binders: optional(described(map(text), 'Passwords of users that may search, by DN')),
})

const githubDirectory = struct({
  organizations: optional(described(map(struct({ id: uint })), 'Organizations by name')),
  users: optional(
    described(
      map(
        struct({
          login: text,
          organizations: optional(list(text)),
          teams: optional(described(map(list(text)), 'Names of teams by organization')),
        }),
      ),
      'People by personal access token',
    ),
  ),
})

const oktaUser = struct({
  password: text,
  groups: optional(list(text)),
  status: optional(described(text, 'SUCCESS, LOCKED_OUT or PASSWORD_EXPIRED')),
  factor: optional(described(text, 'none, push, push-denied or totp')),
})

/**
 * World options that define the simulated directories of the methods `ldap`, `okta` and `github`.
 */
export const directoryOptions = {
  directory: option(
    struct({
      ldap: optional(ldapDirectory),
      github: optional(githubDirectory),
      okta: optional(struct({ users: optional(described(map(oktaUser), 'People by name')) })),
    }),
    {},
    'People in the directories that login methods query, by method: ldap, github, okta',
  ),
  directoryFault: option(
    word('none', 'unreachable', 'refused', 'slow'),
    'none',
    'Failure of the directories: they do not respond, reject the binding user, or exceed a time limit',
  ),
} as const
