import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'
import { approleServer } from './approle/approle.ts'
import { ada, userServer, wrong } from './user-server.ts'

const inNamespace = (path: string) => ({ headers: { 'x-secrets-namespace': path } })

describe('behaviour/secrets#lockout', () => {
  const locked = error(403, 'permission denied')

  test('five wrong passwords lock a user out for a quarter of an hour', async () => {
    const { login, clock, secrets } = await userServer()
    for (let n = 0; n < 5; n += 1) {
      expect(statusAndBody(await login('no'))).toEqual(wrong)
      clock.advance(60_000)
    }
    expect(statusAndBody(await login('no'))).toEqual(locked)
    expect(statusAndBody(await login())).toEqual(locked)
    const { accessor } = (await secrets.get('sys/auth')).body['userpass/']
    expect((await secrets.get('sys/locked-users')).body.data).toEqual({
      by_namespace: [
        {
          namespace_id: 'root',
          namespace_path: '',
          counts: 1,
          mount_accessors: [{ mount_accessor: accessor, counts: 1, alias_identifiers: ['ada'] }],
        },
      ],
      total: 1,
    })
    clock.advance(14 * 60_000 - 1)
    expect(statusAndBody(await login())).toEqual(locked)
    clock.advance(1)
    expect((await login()).status).toBe(200)
    expect((await secrets.get('sys/locked-users')).body.data.total).toBe(0)
  })

  test('a successful login or a quarter of an hour resets the count', async () => {
    const { login, clock } = await userServer()
    const fail = async (times: number) => {
      for (let n = 0; n < times; n += 1) expect(statusAndBody(await login('no'))).toEqual(wrong)
    }
    await fail(4)
    expect((await login()).status).toBe(200)
    await fail(4)
    clock.advance(15 * 60_000)
    await fail(4)
    expect((await login()).status).toBe(200)
  })

  test('an operator unlocks; others stay locked', async () => {
    const { login, secrets } = await userServer()
    await secrets.post('auth/userpass/users/bob', { password: 'pw' })
    for (const name of ['ada', 'bob']) {
      for (let n = 0; n < 5; n += 1) await login('no', name)
    }
    const { accessor } = (await secrets.get('sys/auth')).body['userpass/']
    const unlock = `sys/locked-users/${accessor}/unlock/ada`
    expect(statusAndBody(await secrets.post(unlock, {}))).toEqual(noContent)
    expect((await login()).status).toBe(200)
    expect(statusAndBody(await login('pw', 'bob'))).toEqual(locked)
  })

  test('unknown users are never locked out; the option turns lockout off', async () => {
    const { login } = await userServer()
    for (let n = 0; n < 7; n += 1) expect(statusAndBody(await login('no', 'eve'))).toEqual(wrong)
    const open = await userServer({}, { secrets: { userLockout: false } })
    for (let n = 0; n < 7; n += 1) expect(statusAndBody(await open.login('no'))).toEqual(wrong)
  })

  test('lists locked users of a namespace and its children, highest counts first', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/namespaces/team')
    const lockOutUser = async (at: string, path: string, name: string) => {
      await secrets.post(`auth/${path}/users/${name}`, { password: 'pw' }, inNamespace(at))
      const options = { ...inNamespace(at), token: null }
      for (let n = 0; n < 5; n += 1) {
        const reply = await secrets.post(`auth/${path}/login/${name}`, { password: 'no' }, options)
        expect(reply.status).toBe(400)
      }
    }
    const reported = async (at: string, query: Readonly<Record<string, string>> = {}) => {
      const reply = await secrets.get('sys/locked-users', { ...inNamespace(at), query })
      return reply.body.data
    }
    const accessors: Record<string, string> = {}
    for (const path of ['few', 'many', 'none']) {
      await secrets.post(`sys/auth/${path}`, { type: 'userpass' })
      accessors[path] = (await secrets.get('sys/auth')).body.data[`${path}/`].accessor
    }
    await secrets.post('sys/auth/inner', { type: 'userpass' }, inNamespace('team'))
    const inner = (await secrets.get('sys/auth', inNamespace('team'))).body.data['inner/'].accessor
    await lockOutUser('', 'few', 'ada')
    const fewMountRow = { mount_accessor: accessors['few'], counts: 1, alias_identifiers: ['ada'] }
    for (const name of ['zoe', 'eve']) await lockOutUser('', 'many', name)
    const manyMountRow = {
      mount_accessor: accessors['many'],
      counts: 2,
      alias_identifiers: ['eve', 'zoe'],
    }
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await lockOutUser('team', 'inner', name)
    const [{ namespace_id }] = (await reported('team')).by_namespace
    const teamRow = {
      namespace_id,
      namespace_path: 'team/',
      counts: 4,
      mount_accessors: [{ mount_accessor: inner, counts: 4, alias_identifiers: names }],
    }
    const root = { namespace_id: 'root', namespace_path: '' }
    expect(await reported('team')).toEqual({ by_namespace: [teamRow], total: 4 })
    expect(await reported('')).toEqual({
      by_namespace: [teamRow, { ...root, counts: 3, mount_accessors: [manyMountRow, fewMountRow] }],
      total: 7,
    })
    expect(await reported('', { mount_accessor: accessors['few'] ?? '' })).toEqual({
      by_namespace: [{ ...root, counts: 1, mount_accessors: [fewMountRow] }],
      total: 1,
    })
    const noneMountRow = { mount_accessor: accessors['none'], counts: 0, alias_identifiers: null }
    expect(await reported('', { mount_accessor: accessors['none'] ?? '' })).toEqual({
      by_namespace: [{ ...root, counts: 0, mount_accessors: [noneMountRow] }],
      total: 0,
    })
    await secrets.post(`sys/locked-users/${inner}/unlock/a`, {})
    expect((await reported('team')).total).toBe(4)
    await secrets.post(`sys/locked-users/${inner}/unlock/a`, {}, inNamespace('team'))
    expect((await reported('team')).total).toBe(3)
    await secrets.delete('sys/auth/inner', inNamespace('team'))
    expect(await reported('team')).toEqual({ by_namespace: [], total: 0 })
  })

  test('a login with good credentials that is refused does not change the count', async () => {
    const { secrets, login } = await userServer()
    const outside = { token: null, peer: '192.0.2.1' }
    for (let n = 0; n < 4; n += 1) await login('no')
    await secrets.post(ada, { token_bound_cidrs: '127.0.0.0/8' })
    expect(statusAndBody(await login('pw', 'ada', outside))).toEqual(locked)
    expect(statusAndBody(await login('no'))).toEqual(wrong)
    expect(statusAndBody(await login(''))).toEqual(locked)
    const machine = await approleServer({ secret_id_bound_cidrs: '127.0.0.0/8' })
    const [role_id, { secret_id }] = [await machine.roleId(), await machine.secretId()]
    const fail = () => machine.login({ role_id, secret_id: 'no' })
    for (let n = 0; n < 4; n += 1) await fail()
    expect((await machine.login({ role_id, secret_id }, outside)).status).toBe(400)
    await fail()
    expect(statusAndBody(await machine.login({ role_id, secret_id }))).toEqual(locked)
    expect(statusAndBody(await machine.login({ role_id }))).toEqual(locked)
  })

  test('wrong secret ids of an AppRole count as well', async () => {
    const { login, roleId, secretId } = await approleServer()
    const [role_id, { secret_id }] = [await roleId(), await secretId()]
    for (let n = 0; n < 5; n += 1) {
      expect((await login({ role_id, secret_id: 'no' })).status).toBe(400)
    }
    expect(statusAndBody(await login({ role_id, secret_id }))).toEqual(locked)
  })
})

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#lockout, %s: user_lockout_config of a mount',
  (dialect) => {
    const locked = error(403, 'permission denied')
    const tune = 'sys/auth/userpass/tune'

    test('is stored, returned and obeyed', async () => {
      const { login, clock, secrets } = await userServer({}, { dialect })
      expect((await secrets.get(tune)).body.data).not.toHaveProperty('user_lockout_threshold')
      const user_lockout_config = {
        lockout_threshold: 2,
        lockout_duration: '10m',
        lockout_counter_reset_duration: '60',
      }
      expect(statusAndBody(await secrets.post(tune, { user_lockout_config }))).toEqual(noContent)
      const settings = {
        user_lockout_threshold: 2,
        user_lockout_duration: 600,
        user_lockout_counter_reset_duration: 60,
        user_lockout_disable: false,
      }
      expect((await secrets.get(tune)).body.data).toMatchObject(settings)
      const { config } = (await secrets.get('sys/auth')).body['userpass/']
      expect(config.user_lockout_config).toEqual(settings)

      await login('no')
      clock.advance(60_000)
      await login('no')
      expect((await login()).status).toBe(200)
      await login('no')
      await login('no')
      expect(statusAndBody(await login())).toEqual(locked)
      clock.advance(10 * 60_000 - 1)
      expect(statusAndBody(await login())).toEqual(locked)
      clock.advance(1)
      expect((await login()).status).toBe(200)

      await secrets.post(tune, { user_lockout_config: { lockout_disable: true } })
      for (let n = 0; n < 6; n += 1) await login('no')
      expect((await login()).status).toBe(200)
      await secrets.post(tune, {
        user_lockout_config: { lockout_disable: false, lockout_duration: 'system' },
      })
      expect((await secrets.get(tune)).body.data).toMatchObject({
        user_lockout_threshold: 2,
        user_lockout_duration: 0,
      })
    })

    test('is refused where it is wrong or the mount has no lockout', async () => {
      const { secrets } = await userServer({}, { dialect })
      const set = (user_lockout_config: object, path = tune) =>
        secrets.post(path, { description: 'x', user_lockout_config }).then(statusAndBody)
      expect(await set({ lockout_threshold: '1' }, 'sys/auth/token/tune')).toEqual(
        error(400, 'tuning of user lockout configuration for auth type "token" not allowed'),
      )
      expect((await set({ lockout_threshold: '1' }, 'sys/mounts/secret/tune')).status).toBe(400)
      expect(await set({ lockout_threshold: 'x' })).toEqual(
        error(
          400,
          'unable to parse user lockout threshold: strconv.ParseUint: parsing "x": invalid syntax',
        ),
      )
      expect(await set({ lockout_disable: 'yes' })).toEqual(
        error(400, 'unable to convert given user lockout config information'),
      )
      expect((await set({ lockout_duration: 'x' })).status).toBe(400)
      const { data } = (await secrets.get(tune)).body
      expect(data.description).toBe('')
      expect(data).not.toHaveProperty('user_lockout_threshold')
    })

    test('sys/locked-users of an idle method has null for its users', async () => {
      const { secrets } = await userServer({}, { dialect })
      const { accessor } = (await secrets.get('sys/auth')).body['userpass/']
      const { data } = (await secrets.get(`sys/locked-users?mount_accessor=${accessor}`)).body
      expect(data.by_namespace[0].mount_accessors).toEqual([
        { mount_accessor: accessor, counts: 0, alias_identifiers: null },
      ])
    })
  },
)
