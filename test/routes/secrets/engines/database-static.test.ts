import { describe, expect, test } from 'vitest'
import type { TestSecrets, TestSettings } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { onlyDatabase, serverWithDatabase, setFault } from './database.ts'

const role = { username: 'report', db_name: 'pg', rotation_period: '1h' }
const described = { databases: { 'db:5432': { users: { report: 'first' } } } }

/** Starts a server whose database has the user `report`, with the static role `st`. */
async function serverWithStaticRole(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await serverWithDatabase({ secrets: described, ...settings })
  const { status, text } = await created.secrets.post('database/static-roles/st', role)
  if (status !== 204) throw new Error(`the role was not taken: ${text}`)
  return created
}

const passwordOf = async ({ secrets }: TestSecrets) =>
  (await secrets.get('database/static-creds/st')).body.data.password

describe('behaviour/secrets#database-static', () => {
  test.each([
    ['neutral', 'last_service_rotation'],
    ['vendor', 'last_vault_rotation'],
  ] as const)('a new role rotates at once (%s)', async (dialect, member) => {
    const created = await serverWithStaticRole({ dialect })
    const { secrets } = created
    const time = '2026-01-01T00:00:00Z'
    expect((await secrets.get('database/static-roles/st')).body.data).toEqual({
      credential_type: 'password',
      db_name: 'pg',
      [member]: time,
      rotation_period: 3600,
      rotation_statements: [],
      username: 'report',
    })
    created.clock.advance(600_000)
    const reply = await secrets.get('database/static-creds/st')
    expect(reply.body).toMatchObject({ lease_id: '', lease_duration: 0 })
    expect(reply.body.data).toEqual({
      [member]: time,
      password: onlyDatabase(created).users['report']?.password,
      rotation_period: 3600,
      ttl: 3000,
      username: 'report',
    })
    expect(onlyDatabase(created).users['report']).toMatchObject({ static: true, role: 'st' })
  })

  // choice/secrets#database-rotation-time
  test('the password changes exactly when the period ends, or on request', async () => {
    const created = await serverWithStaticRole()
    const first = await passwordOf(created)
    created.clock.advance(3_599_999)
    expect(await passwordOf(created)).toBe(first)
    created.clock.advance(1)
    const second = await passwordOf(created)
    expect(second).not.toBe(first)
    const rotated = await created.secrets.post('database/rotate-role/st')
    expect(statusAndBody(rotated)).toEqual(noContent)
    const third = await passwordOf(created)
    expect(third).not.toBe(second)
    setFault(created, 'rotate-fails')
    created.clock.advance(3_600_000)
    expect(await passwordOf(created)).toBe(third)
    setFault(created, 'none')
    created.clock.advance(3_600_000)
    expect(await passwordOf(created)).not.toBe(third)
  })

  test('mistakes are refused in order, and nothing is stored', async () => {
    const { secrets } = await serverWithStaticRole()
    const write = async (body: object, name = 'new') =>
      statusAndBody(await secrets.post(`database/static-roles/${name}`, body))
    expect(await write({})).toEqual(error(400, 'database name is a required field'))
    expect(await write({ db_name: 'pg' })).toEqual(
      error(400, 'username is a required field to create a static account'),
    )
    expect(await write({ db_name: 'pg', username: 'x' })).toEqual(
      error(400, 'rotation_period is required to create static accounts'),
    )
    expect(await write({ ...role, rotation_period: 4 })).toEqual(
      error(400, 'rotation_period must be 5 seconds or more'),
    )
    expect(await write({ username: 'other' }, 'st')).toEqual(
      error(400, 'cannot update static account username'),
    )
    expect(await write({ ...role, db_name: 'zz' })).toEqual(
      multierrorReply(404, 'failed to find entry for connection with name: "zz"'),
    )
    expect(await write({ ...role, username: 'x' })).toEqual(
      multierrorReply(
        400,
        'error setting credentials: 1 error occurred:\n\t* failed to execute query: ERROR: role "x" does not exist (SQLSTATE 42704)\n\n',
      ),
    )
    await secrets.post('database/config/pg', { allowed_roles: 'st' })
    expect(await write(role)).toEqual(multierrorReply(400, '"new" is not an allowed role'))
    expect((await secrets.list('database/static-roles')).body.data).toEqual({ keys: ['st'] })
    expect(statusAndBody(await secrets.get('database/static-creds/zz'))).toEqual(
      error(400, 'unknown role: zz'),
    )
    expect(statusAndBody(await secrets.post('database/rotate-role/zz'))).toEqual(
      error(400, 'no static role found for role name'),
    )
  })

  test('a new role needs create, and a change update', async () => {
    const { secrets, as } = await serverWithStaticRole()
    const policy = 'path "database/static-roles/*" { capabilities = ["create"] }'
    await secrets.post('sys/policies/acl/makes', { policy })
    const { auth } = (await secrets.post('auth/token/create', { policies: 'makes' })).body
    const makes = as(auth.client_token)
    expect(statusAndBody(await makes.post('database/static-roles/new', role))).toEqual(noContent)
    expect((await makes.post('database/static-roles/st', role)).status).toBe(403)
  })

  test('a change moves the next rotation, and a deleted role leaves the user', async () => {
    const created = await serverWithStaticRole()
    const { secrets } = created
    const password = await passwordOf(created)
    await secrets.post('database/static-roles/st', { ...role, rotation_period: '2h' })
    created.clock.advance(3_600_000)
    expect(await passwordOf(created)).toBe(password)
    expect(statusAndBody(await secrets.delete('database/static-roles/st'))).toEqual(noContent)
    created.clock.advance(7_200_000)
    expect(onlyDatabase(created).users['report']).toMatchObject({ password })
    expect(statusAndBody(await secrets.get('database/static-roles/st'))).toEqual(error(404))
  })

  test('a role whose user a creation statement made works as well', async () => {
    const { secrets } = await serverWithDatabase()
    const creation_statements = ['CREATE ROLE "{{name}}"', 'CREATE USER report']
    await secrets.post('database/roles/app', { creation_statements })
    await secrets.get('database/creds/app')
    expect(statusAndBody(await secrets.post('database/static-roles/st', role))).toEqual(noContent)
  })
})
