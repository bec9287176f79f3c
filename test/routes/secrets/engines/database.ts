import { databaseViews } from '../../../../state/secrets/database/view.ts'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'

/** A connection to PostgreSQL. */
export const connection = {
  plugin_name: 'postgresql-database-plugin',
  connection_url: 'postgresql://{{username}}:{{password}}@db:5432/app',
  username: 'admin',
  password: 'adminpw',
  allowed_roles: '*',
}

/** A statement that creates the user of a role. */
export const creation = `CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}';`

/** Starts a server with the connection `pg` and the role `app`. */
export async function serverWithDatabase(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await servedSecrets(settings)
  const { secrets } = created
  const replies = [
    await secrets.post('sys/mounts/database', { type: 'database' }),
    await secrets.post('database/config/pg', connection),
    await secrets.post('database/roles/app', {
      db_name: 'pg',
      creation_statements: creation,
      default_ttl: '1h',
      max_ttl: '2h',
    }),
  ]
  const refused = replies.find(({ status }) => status !== 204)
  if (refused !== undefined) throw new Error(`the engine is not ready: ${refused.text}`)
  return created
}

/** Returns the only database of a world. */
export function onlyDatabase({ world }: Pick<TestSecrets, 'world'>) {
  const [database, another] = databaseViews(world)
  if (database === undefined || another !== undefined) throw new Error('not exactly one database')
  return database
}

/** Sets what is wrong with every database. */
export function setFault({ world }: Pick<TestSecrets, 'world'>, databaseFault: string): void {
  world.changeOptions({ secrets: { databaseFault } })
}
