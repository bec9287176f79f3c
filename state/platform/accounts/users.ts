import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'

/** Somebody who calls: a person, or the service user behind a team's or organization's token. */
export interface User {
  /** `user-…` */
  readonly id: string
  /** Unique. */
  readonly username: string
  readonly email: string
  readonly site_admin: boolean
  readonly service_account: boolean
  /** Milliseconds since 1970. */
  readonly created_at: number
}

/** By id. */
export const users = defineTable<User>()({
  service: 'platform',
  name: 'users',
  indexes: { byName: ({ username }) => username },
  schema: {
    type: 'object',
    required: ['id', 'username', 'email', 'site_admin', 'service_account', 'created_at'],
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      username: { type: 'string' },
      email: { type: 'string' },
      site_admin: { type: 'boolean' },
      service_account: { type: 'boolean' },
      created_at: { type: 'integer' },
    },
  },
})

/** Adds a user under a free username; part of a transaction. */
export function addUser(
  world: World,
  { username, ...more }: Pick<User, 'username'> & Partial<User>,
): User {
  const user: User = {
    id: newId(world, 'user'),
    username,
    email: `${username}@example.com`,
    site_admin: false,
    service_account: false,
    created_at: world.clock.now(),
    ...more,
  }
  world.table(users).put(user.id, user)
  return user
}

/** The user of a name, if there is one. */
export function userNamed(world: World, username: string): User | undefined {
  return world.table(users).index('byName').get(username)
}

/** Takes a user away; part of a transaction. */
export function dropUser(world: World, user: User): void {
  world.table(users).delete(user.id)
}
