import { bool, instant, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { isBlank, isPlainName, type TextInput, updatedText } from '../names.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'

const userShape = struct({
  /** Id of the form `user-…`. */
  id: text,
  /** Unique name; empty for an invited person who has no account yet. */
  username: text,
  email: text,
  site_admin: bool,
  service_account: bool,
  created_at: instant,
  /** Whether a site admin has suspended the user. Tokens of a suspended user are rejected. */
  is_suspended: optional(bool),
})

/** A user account: a person, or the service user behind a team's or organization's token. */
export interface User extends StoredOf<typeof userShape> {}

/** Users by id. */
export const users = platformTable('users', userShape, {
  secrets: 'none',
  indexes: { byName: ({ username }) => (username === '' ? undefined : username) },
})

/** Adds a user. The username must be free. Must run inside a transaction. */
export function addUser(
  world: World,
  { username, ...overrides }: Pick<User, 'username'> & Partial<User>,
): User {
  const user: User = {
    id: newId(world, 'user'),
    username,
    email: `${username}@example.com`,
    site_admin: false,
    service_account: false,
    created_at: world.clock.now(),
    ...overrides,
  }
  world.table(users).put(user.id, user)
  return user
}

export function userWithId(world: World, id: string): User | undefined {
  return world.table(users).get(id)
}

export function userNamed(world: World, username: string): User | undefined {
  return world.table(users).index('byName').get(username)
}

/**
 * Returns the person with this email address, or undefined if nobody has it. Ignores case and
 * service users.
 */
export function userWithEmail(world: World, address: string): User | undefined {
  const wanted = address.toLowerCase()
  return Array.from(world.table(users).rows()).find(
    ({ email, service_account }) => !service_account && email.toLowerCase() === wanted,
  )
}

/**
 * Changes and stores the name and the email address of a user. Throws 422 for a value that is
 * blank, malformed, or taken by another user.
 */
export function changeUser(
  world: World,
  before: User,
  input: TextInput<'username' | 'email'>,
): User {
  const username = updatedText(input.username, before.username)
  const email = updatedText(input.email, before.email)
  const violations = new Violations()
  const other = userNamed(world, username)
  if (isBlank(username)) violations.add('username', 'blank')
  else if (!isPlainName(username)) violations.add('username', 'invalid')
  else if (other !== undefined && other.id !== before.id) violations.add('username', 'taken')
  const isSameAddress = userWithEmail(world, email)?.id === before.id
  if (!email.includes('@')) violations.add('email', 'invalid')
  else if (!isSameAddress && userWithEmail(world, email) !== undefined) {
    violations.add('email', 'taken')
  }
  violations.check()
  const changed = { ...before, username, email }
  world.write(() => world.table(users).put(before.id, changed))
  return changed
}

/**
 * Deletes a user. Data of the user in other tables, such as tokens, stays. Must run inside a
 * transaction.
 */
export function dropUser(world: World, user: User): void {
  world.table(users).delete(user.id)
}
