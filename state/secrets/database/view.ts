import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import {
  type DatabaseUser,
  databaseKey,
  databaseStatements,
  databaseUsers,
  findUser,
  removeUser,
  simulatedDatabases,
} from './simulated.ts'

/** A simulated database in replies of the control plane. */
export interface DatabaseView {
  readonly id: string
  readonly plugin: string
  readonly administrator: string
  readonly users: Readonly<Record<string, DatabaseUserView>>
  readonly statements: readonly StatementView[]
}

interface DatabaseUserView {
  readonly password: string
  readonly role: string
  readonly lease: string
  readonly expires: string | null
  readonly static: boolean
}

interface StatementView {
  readonly at: string
  readonly text: string
  readonly for: string
}

/** Returns all databases of the world, the most recently used first. */
export function databaseViews(world: World): DatabaseView[] {
  const databases = [...world.table(simulatedDatabases).rows()].sort((a, b) => b.used - a.used)
  return databases.map(({ id, plugin, administrator }) => {
    const below = `${databaseKey(id)}/`
    const users = Array.from(
      world.table(databaseUsers).rows(below),
      (user) => [user.name, userView(user)] as const,
    )
    const statements = Array.from(world.table(databaseStatements).rows(below), (statement) => ({
      ...statement,
      at: formatTimestamp(statement.at),
    }))
    return { id, plugin, administrator, users: Object.fromEntries(users), statements }
  })
}

function userView({ password, lease, expires, static: isStatic, role }: DatabaseUser) {
  const end = expires === null ? null : formatTimestamp(expires)
  return { password, role, lease, expires: end, static: isStatic }
}

/**
 * Drops a user without the engine's knowledge, as somebody could in a real database. Throws an
 * `absent` refusal for an unknown user.
 */
export function dropUser(world: World, database: string, user: string): void {
  if (findUser(world, database, user) === undefined) {
    throw refuse('database-user-absent', { database, user })
  }
  removeUser(world, database, user)
}
