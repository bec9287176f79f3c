import { option } from '../../kernel/options/options.ts'
import { map, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'

/** Failures that a simulated database can have. */
const fault = word('none', 'unreachable', 'refused', 'create-fails', 'revoke-fails', 'rotate-fails')

const databaseShape = struct({
  users: optional(described(map(text), 'Passwords of the existing users, by name')),
  administrator: optional(
    described(
      struct({ username: text, password: text }),
      'The only administrator; by default that of the first connection',
    ),
  ),
  fault: optional(fault),
})

/** Options of a world for the simulated databases. */
export const databaseOptions = {
  databaseFault: option(fault, 'none', 'The failure of every database of the database engine'),
  databases: option(
    map(databaseShape),
    {},
    'Databases of the database engine by host and port, with their users',
  ),
} as const
