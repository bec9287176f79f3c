import { option } from '../../kernel/options/options.ts'
import { list, map, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'

const ldapUser = struct({
  password: text,
  groups: optional(described(list(text), 'Names of the groups')),
})

const ldapDirectory = struct({
  users: optional(described(map(ldapUser), 'People by name')),
  binders: optional(described(map(text), 'Passwords of users that may search, by DN')),
})

/** World options of the directories that login methods ask. */
export const directoryOptions = {
  directory: option(
    struct({ ldap: optional(ldapDirectory) }),
    {},
    'People of the directories that login methods ask, by method: ldap',
  ),
  directoryFault: option(
    word('none', 'unreachable', 'refused', 'slow'),
    'none',
    'The failure of the directories: nobody answers, the binding user is refused, or a time limit ends',
  ),
} as const
