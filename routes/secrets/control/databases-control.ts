import { bool, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, secret, struct } from '../../../state/kernel/shape/members.ts'
import { type DatabaseView, databaseViews, dropUser } from '../../../state/secrets/database/view.ts'
import { ControlPart, partCalls } from '../../http/declare/control-call.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

const userShape = struct({
  password: secret(text),
  role: described(text, 'Name of the engine role; empty for other users'),
  lease: described(text, 'Id of the lease whose end drops the user; empty for other users'),
  expires: described(nullable(instant), 'Time until which the database accepts the user'),
  static: described(bool, 'Whether a static role rotates the password'),
})

const databaseShape = struct({
  id: described(text, 'Host and port'),
  plugin: text,
  administrator: text,
  users: described(map(userShape), 'Users by name, without the administrator'),
  statements: described(
    list(struct({ at: instant, text: secret(text), for: text })),
    'The last 1000 statements that the database received, in order',
  ),
})

/** The simulated databases behind the database engine of the secrets API. */
export class DatabasesControl extends ControlPart {
  /**
   * Returns the databases with their users and executed statements. The most recently used database
   * comes first.
   */
  list(): { readonly databases: readonly DatabaseView[] } {
    return { databases: databaseViews(this.world) }
  }

  /**
   * Drops a user of a database without the engine's knowledge. The lease of the user remains.
   *
   * @throws Refusal `absent` if there is no such user
   */
  dropUser(database: string, user: string): void {
    dropUser(this.world, database, user)
  }
}

const call = partCalls(DatabasesControl)

export const databasesCalls = [
  call({
    id: 'listDatabases',
    route: 'GET /secrets/databases',
    summary: 'List the databases of the database engine, with their users and the statements.',
    reply: struct({ databases: list(databaseShape) }),
    run: (databases) => databases.list(),
  }),
  call({
    id: 'dropDatabaseUser',
    route: 'DELETE /secrets/databases/:id/users/:name',
    summary: 'Drop a user of a database directly, not through the database engine.',
    run: (databases, { params }) => databases.dropUser(params.id, params.name),
  }),
]
