import { describe, expect, test } from 'vitest'
import { createUnderstudy } from '../../../../src/embedding/index.ts'
import { databaseCredentials } from '../../../../state/secrets/database/creds.ts'
import type { TestSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { connection, creation, onlyDatabase, serverWithDatabase, setFault } from './database.ts'

/** Starts a server with credentials of the role `app`. */
async function issued(): Promise<
  TestSecrets & { readonly id: string; readonly username: string; readonly password: string }
> {
  const created = await serverWithDatabase()
  const { body } = await created.secrets.get('database/creds/app')
  return { ...created, id: body.lease_id, ...body.data }
}

describe('behaviour/secrets#database-creds: users of a database', () => {
  test('credentials are a user with a renewable lease; the statements are filled in', async () => {
    const created = await serverWithDatabase()
    const { body } = await created.secrets.get('database/creds/app')
    expect(body).toMatchObject({
      lease_id: expect.stringMatching(/^database\/creds\/app\/[0-9A-Za-z]{24}$/),
      renewable: true,
      lease_duration: 3600,
      warnings: null,
    })
    const { username, password } = body.data
    expect(username).toMatch(/^v-root-app-[0-9A-Za-z]{20}-1767225600$/)
    expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*-)[-0-9A-Za-z]{20}$/)
    const { users, statements } = onlyDatabase(created)
    expect(users).toEqual({
      [username]: {
        password,
        role: 'app',
        lease: body.lease_id,
        expires: '2026-01-01T01:00:00Z',
        static: false,
      },
    })
    expect(statements).toEqual([
      {
        at: '2026-01-01T00:00:00Z',
        for: `create ${username}`,
        text: `CREATE ROLE "${username}" LOGIN PASSWORD '${password}' VALID UNTIL '2026-01-01 01:00:05+0000'`,
      },
    ])
  })

  test('requests without a role, a right or statements are refused', async () => {
    const { secrets } = await serverWithDatabase()
    await secrets.post('database/roles/lost', { db_name: 'zz' })
    await secrets.post('database/roles/idle', { db_name: 'pg' })
    const ask = async (role: string) => statusAndBody(await secrets.get(`database/creds/${role}`))
    expect(await ask('zz')).toEqual(error(400, 'unknown role: zz'))
    expect(await ask('lost')).toEqual(
      multierrorReply(404, 'failed to find entry for connection with name: "zz"'),
    )
    expect(await ask('idle')).toEqual(multierrorReply(400, 'empty creation statements'))
    await secrets.post('database/roles/app', { creation_statements: 'CREAT ROLE "{{name}}"' })
    expect(await ask('app')).toEqual(
      multierrorReply(
        400,
        'failed to execute query: ERROR: syntax error at or near "CREAT" (SQLSTATE 42601)',
      ),
    )
    await secrets.post('database/config/pg', { password_policy: 'none' })
    expect(await ask('app')).toEqual(
      multierrorReply(400, 'failed to generate password: no password policy found'),
    )
    await secrets.post('database/config/pg', { allowed_roles: 'other,id*' })
    expect(await ask('app')).toEqual(multierrorReply(400, '"app" is not an allowed role'))
    expect((await ask('idle')).body).toMatchObject({
      errors: [expect.stringContaining('no password policy')],
    })
  })

  test.each([
    ['neutral', 502, 400],
    ['vendor', 500, 500],
  ] as const)('a database that is down is %s %i', async (dialect, unreachable, refused) => {
    const created = await serverWithDatabase({ dialect })
    const { secrets } = created
    setFault(created, 'unreachable')
    expect(statusAndBody(await secrets.get('database/creds/app'))).toEqual(
      multierrorReply(
        unreachable,
        'unable to start transaction: failed to connect to `host=db user=admin database=app`: dial error (dial tcp: connect: connection refused)',
      ),
    )
    setFault(created, 'create-fails')
    expect(statusAndBody(await secrets.get('database/creds/app'))).toEqual(
      multierrorReply(
        refused,
        'failed to execute query: ERROR: permission denied (SQLSTATE 42501)',
      ),
    )
    expect((await secrets.list('sys/leases/lookup/database/creds/app')).status).toBe(404)
    expect(onlyDatabase(created).users).toEqual({})
  })

  test('templates and policies of the connection make name and password', async () => {
    const { secrets } = await serverWithDatabase()
    await secrets.post('sys/policies/password/digits', {
      policy: 'length = 8\nrule "charset" { charset = "0123456789" }',
    })
    await secrets.post('database/config/pg', {
      username_template: 'x-{{.RoleName | uppercase}}-{{.DisplayName}}',
      password_policy: 'digits',
    })
    const { data } = (await secrets.get('database/creds/app')).body
    expect(data).toEqual({ username: 'x-APP-root', password: expect.stringMatching(/^\d{8}$/) })
  })

  test.each([
    ['mysql-database-plugin', /^v-root-app-[0-9A-Za-z]{20}-$/],
    ['mysql-legacy-database-plugin', /^v-app-[0-9A-Za-z]{10}$/],
    ['cassandra-database-plugin', /^v_root_app_[0-9a-z]{20}_1767225600$/],
    ['hana-database-plugin', /^V_ROOT_APP_[0-9A-Z]{20}_1767225600$/],
    ['redshift-database-plugin', /^v-root-app-[0-9a-z]{20}-1767225600$/],
  ])('names of %s have their own form', async (plugin_name, form) => {
    const { secrets } = await serverWithDatabase()
    await secrets.post('database/config/pg', { plugin_name })
    expect((await secrets.get('database/creds/app')).body.data.username).toMatch(form)
  })

  test('a renewal ends at max_ttl at the latest, and sets the new expiry in the database', async () => {
    const created = await issued()
    const { secrets, id, username } = created
    created.clock.advance(5_000)
    const reply = await secrets.put('sys/leases/renew', { lease_id: id, increment: '3h' })
    expect(reply.body).toMatchObject({
      lease_duration: 7195,
      warnings: [
        'TTL of "3h" exceeded the effective max_ttl of "1h59m55s"; TTL value is capped accordingly',
      ],
    })
    const { users, statements } = onlyDatabase(created)
    expect(users[username]?.expires).toBe('2026-01-01T02:00:00Z')
    expect(statements.at(-1)?.text).toBe(
      `ALTER ROLE "${username}" VALID UNTIL '2026-01-01 02:00:05+0000'`,
    )
    setFault(created, 'unreachable')
    const refused = await secrets.put('sys/leases/renew', { lease_id: id })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0]).toMatch(
      /^failed to renew entry: resp: .* err: failed to connect/,
    )
  })

  test('a renewal without an increment grants the TTL that the role has now', async () => {
    const { secrets, id: lease_id } = await issued()
    const renewed = async (more: object = {}) =>
      (await secrets.put('sys/leases/renew', { lease_id, ...more })).body.lease_duration
    expect(await renewed({ increment: '10m' })).toBe(600)
    expect(await renewed()).toBe(3600)
    await secrets.post('database/roles/app', { default_ttl: '20m', max_ttl: '30m' })
    expect(await renewed()).toBe(1200)
    expect(await renewed({ increment: '1h' })).toBe(1800)
  })

  test('the user is dropped at the end, not before', async () => {
    const created = await issued()
    created.clock.advance(3_599_999)
    expect(Object.keys(onlyDatabase(created).users)).toEqual([created.username])
    created.clock.advance(1)
    expect(onlyDatabase(created).users).toEqual({})
    expect(onlyDatabase(created).statements.at(-1)?.text).toBe(
      `DROP ROLE IF EXISTS "${created.username}"`,
    )
  })

  test('disabling the mount drops the users', async () => {
    const created = await issued()
    expect(statusAndBody(await created.secrets.delete('sys/mounts/database'))).toEqual(noContent)
    expect(onlyDatabase(created).users).toEqual({})
  })

  test('a revocation that the database refuses changes nothing; force ends the lease', async () => {
    const created = await issued()
    const { secrets, id, username } = created
    setFault(created, 'revoke-fails')
    expect(statusAndBody(await secrets.put('sys/leases/revoke', { lease_id: id }))).toEqual(
      error(
        400,
        'failed to revoke entry: resp: (*logical.Response)(nil) err: ERROR: permission denied (SQLSTATE 42501)',
      ),
    )
    expect((await secrets.put('sys/leases/lookup', { lease_id: id })).status).toBe(200)
    expect((await secrets.put('sys/leases/revoke-force/database/creds/app')).status).toBe(204)
    expect((await secrets.put('sys/leases/lookup', { lease_id: id })).status).toBe(400)
    expect(Object.keys(onlyDatabase(created).users)).toEqual([username])
    expect(created.world.table(databaseCredentials).size).toBe(0)
  })

  test('revocation statements of the role are sent instead of the usual one', async () => {
    const created = await serverWithDatabase()
    const { secrets } = created
    const revocation_statements = ['REVOKE ALL ON x FROM "{{name}}"; DROP ROLE "{{name}}";']
    await secrets.post('database/roles/app', { revocation_statements })
    const { body } = await secrets.get('database/creds/app')
    await secrets.put('sys/leases/revoke', { lease_id: body.lease_id })
    const { username } = body.data
    expect(
      onlyDatabase(created)
        .statements.slice(1)
        .map(({ text }) => text),
    ).toEqual([`REVOKE ALL ON x FROM "${username}"`, `DROP ROLE "${username}"`])
  })
})

describe('behaviour/secrets#database: the control plane', () => {
  test('lists databases and drops a user behind the back of the engine', async () => {
    await using running = await createUnderstudy({ seed: 'test' })
    const world = running.world()
    const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const headers = { 'x-secrets-token': 'root' }
      const reply = await world.inject({ method, url, headers, ...(payload && { payload }) })
      return { status: reply.statusCode, body: reply.body === '' ? null : reply.json() }
    }
    await ask('POST', '/v1/sys/mounts/database', { type: 'database' })
    await ask('POST', '/v1/database/config/pg', connection)
    const role = { db_name: 'pg', creation_statements: creation }
    await ask('POST', '/v1/database/roles/app', role)
    const { data } = (await ask('GET', '/v1/database/creds/app')).body
    const listed = await ask('GET', '/_mock/secrets/databases')
    expect(listed.body).toEqual({ databases: world.databases.list().databases })
    expect(listed.body.databases[0].users[data.username].password).toBe(data.password)
    const user = `/_mock/secrets/databases/db:5432/users/${data.username}`
    expect((await ask('DELETE', user)).status).toBe(204)
    expect((await ask('DELETE', user)).status).toBe(404)
    expect(world.databases.list().databases[0]?.users).toEqual({})
  })
})
