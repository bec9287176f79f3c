import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { connection, creation, onlyDatabase, serverWithDatabase, setFault } from './database.ts'

const failed = (why: string) =>
  error(400, `error creating database object: error verifying connection: ${why}`)
const failedToConnect = (why: string, user = 'admin') =>
  `failed to connect to \`host=db user=${user} database=app\`: ${why}`

describe('behaviour/secrets#database: connections', () => {
  test('a write keeps members that it omits, and the password is never returned', async () => {
    const { secrets } = await serverWithDatabase()
    const change = { max_open_connections: 5, root_rotation_statements: 'ALTER ROLE a' }
    expect(statusAndBody(await secrets.post('database/config/pg', change))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('database/config/pg'))).toEqual(
      ok({
        data: {
          allowed_roles: ['*'],
          connection_details: {
            connection_url: connection.connection_url,
            max_open_connections: 5,
            username: 'admin',
          },
          password_policy: '',
          plugin_name: 'postgresql-database-plugin',
          plugin_version: '',
          root_credentials_rotate_statements: ['ALTER ROLE a'],
        },
      }),
    )
    expect((await secrets.list('database/config')).body.data).toEqual({ keys: ['pg'] })
    expect(statusAndBody(await secrets.delete('database/config/pg'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('database/config/pg'))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('database/config'))).toEqual(error(404))
  })

  test('a password in the URL is hidden, with a warning', async () => {
    const { secrets } = await serverWithDatabase()
    const connection_url = 'postgresql://admin:adminpw@db:5432/app'
    const body = { plugin_name: 'postgresql-database-plugin', connection_url }
    expect((await secrets.post('database/config/clear', body)).body.warnings).toEqual([
      'Password found in connection_url, use a templated url to enable root rotation and prevent read access to password information.',
      'Endpoint ignored these unrecognized parameters: [connection_url]',
    ])
    const { data } = (await secrets.get('database/config/clear')).body
    expect(data.connection_details).toEqual({
      connection_url: 'postgresql://admin:xxxxx@db:5432/app',
    })
  })

  test('mistakes are refused, and nothing is stored', async () => {
    const { secrets } = await serverWithDatabase()
    const missing = (name: string) =>
      `error creating database object: invalid database version: 2 errors occurred:\n\t* plugin not found in the catalog: ${name}\n\t* plugin not found in the catalog: ${name}\n\n`
    const unclosed = 'template: template:1: unclosed action'
    for (const [change, why] of [
      [{ plugin_name: '' }, 'empty plugin name'],
      [{ plugin_name: 'zz-plugin' }, missing('zz-plugin')],
      [{ plugin_version: 'v9.9.9' }, missing('postgresql-database-plugin, version=v9.9.9')],
      [
        { plugin_version: 'zz' },
        'version "zz" is not a valid semantic version: Malformed version: zz',
      ],
      [{ connection_url: '' }, 'error creating database object: connection_url cannot be empty'],
      [
        { username_template: '{{ .RoleName ' },
        `error creating database object: unable to initialize username template: unable to parse template: ${unclosed}`,
      ],
    ] as const) {
      const reply = await secrets.post('database/config/new', { ...connection, ...change })
      expect(statusAndBody(reply)).toEqual(error(400, why))
    }
    expect((await secrets.list('database/config')).body.data).toEqual({ keys: ['pg'] })
  })

  test('a connection must match the database, unless connections are not verified', async () => {
    const created = await serverWithDatabase()
    const { secrets } = created
    const other = { ...connection, username: 'bob' }
    const noRole = 'server error (FATAL: role "bob" does not exist (SQLSTATE 28000))'
    expect(statusAndBody(await secrets.post('database/config/b', other))).toEqual(
      failed(failedToConnect(noRole, 'bob')),
    )
    const wrong = { ...connection, password: 'wrong' }
    const refused =
      'server error (FATAL: password authentication failed for user "admin" (SQLSTATE 28P01))'
    expect(statusAndBody(await secrets.post('database/config/b', wrong))).toEqual(
      failed(failedToConnect(refused)),
    )
    setFault(created, 'refused')
    expect(statusAndBody(await secrets.post('database/config/pg', {}))).toEqual(
      failed(failedToConnect(refused)),
    )
    setFault(created, 'unreachable')
    expect(statusAndBody(await secrets.post('database/config/pg', {}))).toEqual(
      failed(failedToConnect('dial error (dial tcp: connect: connection refused)')),
    )
    const unverified = { ...other, verify_connection: false }
    expect(statusAndBody(await secrets.post('database/config/b', unverified))).toEqual(noContent)
  })

  // choice/secrets#database-simulated
  test('the address decides which database it is; the options can describe one', async () => {
    const described = {
      'db:3306': { administrator: { username: 'root', password: 'rootpw' }, users: { app: 'x' } },
    }
    const { secrets, world } = await servedSecrets({ secrets: { databases: described } })
    await secrets.post('sys/mounts/database', { type: 'database' })
    const body = {
      plugin_name: 'mysql-database-plugin',
      connection_url: '{{username}}:{{password}}@tcp(db:3306)/',
      username: 'root',
      password: 'wrong',
    }
    // choice/secrets#database-failure-texts
    expect((await secrets.post('database/config/my', body)).body.errors[0]).toMatch(
      /^error creating database object: error verifying - ping: failed to connect to `host=db user=root database=root`: server error /,
    )
    const right = { ...body, password: 'rootpw' }
    expect(statusAndBody(await secrets.post('database/config/my', right))).toEqual(noContent)
    const { id, administrator, users } = onlyDatabase({ world })
    expect([id, administrator, Object.keys(users)]).toEqual(['db:3306', 'root', ['app']])
  })

  test.each([
    ['neutral', 404],
    ['vendor', 500],
  ] as const)('rotate-root and reset need a connection (%s)', async (dialect, status) => {
    const created = await serverWithDatabase({ dialect })
    const { secrets } = created
    const absent = 'failed to find entry for connection with name: "zz"'
    for (const path of ['rotate-root/zz', 'reset/zz']) {
      const reply = await secrets.post(`database/${path}`)
      expect(statusAndBody(reply)).toEqual(multierrorReply(status, absent))
    }
    expect(statusAndBody(await secrets.post('database/reset/pg'))).toEqual(noContent)
    expect(statusAndBody(await secrets.post('database/rotate-root/pg'))).toEqual(noContent)
    expect(onlyDatabase(created).statements.at(-1)).toMatchObject({ for: 'rotate admin' })
    expect((await secrets.get('database/creds/app')).status).toBe(200)
    // The old password does not work any more.
    const old = { ...connection, password: 'adminpw' }
    expect((await secrets.post('database/config/old', old)).status).toBe(400)
  })

  test('rotate-root needs a user name', async () => {
    const { secrets } = await serverWithDatabase()
    const connection_url = 'postgresql://db:5432/app'
    const body = { plugin_name: 'redshift-database-plugin', connection_url }
    await secrets.post('database/config/nobody', { ...body, verify_connection: false })
    expect(statusAndBody(await secrets.post('database/rotate-root/nobody'))).toEqual(
      multierrorReply(400, 'unable to rotate root credentials: no username in configuration'),
    )
  })

  test('the plug-ins are in the catalogue', async () => {
    const { secrets } = await servedSecrets()
    const { keys } = (await secrets.list('sys/plugins/catalog/database')).body.data
    expect(keys).toHaveLength(17)
    expect(keys).toContain('postgresql-database-plugin')
  })
})

describe('behaviour/secrets#database-creds: roles', () => {
  test('a role is changed in parts', async () => {
    const { secrets } = await serverWithDatabase()
    const change = { revocation_statements: ['DROP ROLE "{{name}}"'], max_ttl: 100 }
    expect(statusAndBody(await secrets.post('database/roles/app', change))).toEqual(noContent)
    expect((await secrets.get('database/roles/app')).body.data).toEqual({
      creation_statements: [creation],
      credential_type: 'password',
      db_name: 'pg',
      default_ttl: 3600,
      max_ttl: 100,
      renew_statements: [],
      revocation_statements: ['DROP ROLE "{{name}}"'],
      rollback_statements: [],
    })
    expect((await secrets.patch('database/roles/app', change)).status).toBe(405)
    expect((await secrets.list('database/roles')).body.data).toEqual({ keys: ['app'] })
    expect(statusAndBody(await secrets.delete('database/roles/app'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('database/roles/app'))).toEqual(error(404))
  })

  // choice/secrets#database-credential-types
  test('a role needs a connection and a known type of credentials', async () => {
    const { secrets } = await serverWithDatabase()
    expect(statusAndBody(await secrets.post('database/roles/x', {}))).toEqual(
      error(400, 'database name is required'),
    )
    const unknown = { db_name: 'pg', credential_type: 'zz' }
    expect(statusAndBody(await secrets.post('database/roles/x', unknown))).toEqual(
      error(400, 'invalid credential_type "zz"'),
    )
    const rsa = { db_name: 'pg', credential_type: 'rsa_private_key' }
    expect(statusAndBody(await secrets.post('database/roles/x', rsa))).toEqual(noContent)
    expect((await secrets.get('database/roles/x')).body.data).toMatchObject({
      credential_config: { format: 'pkcs8', key_bits: 2048 },
    })
    expect(statusAndBody(await secrets.get('database/creds/x'))).toEqual(
      error(400, 'unsupported credential_type: "rsa_private_key"'),
    )
    expect(statusAndBody(await secrets.post('database/roles/x', { default_ttl: 'zz' }))).toEqual(
      error(400, 'error converting input zz for field "default_ttl": time: invalid duration "zz"'),
    )
  })
})
