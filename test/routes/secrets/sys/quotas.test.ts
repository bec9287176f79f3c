import { describe, expect, test } from 'vitest'
import { servedSecrets, type TestSettings } from '../../../support/secrets/secrets.ts'
import { approleServer } from '../auth/approle/approle.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const at = 'sys/quotas/rate-limit/q'

/** Starts a server with a rate limit. */
async function limited(quota: object, settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  expect(statusAndBody(await server.secrets.post(at, quota))).toEqual(noContent)
  const statuses = async (path: string, times: number, peer = '127.0.0.1') => {
    const found: number[] = []
    for (let call = 0; call < times; call += 1) {
      found.push((await server.secrets.get(path, { peer })).status)
    }
    return found
  }
  return { ...server, statuses }
}

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#quotas, %s: rate limits',
  (dialect) => {
    test('are written, read, listed and deleted', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.list('sys/quotas/rate-limit'))).toEqual(error(404))
      expect(statusAndBody(await secrets.get(at))).toEqual(error(404))
      expect(statusAndBody(await secrets.post(at, { rate: '2.5', path: 'secret' }))).toEqual(
        noContent,
      )
      const data = {
        block_interval: 0,
        interval: 1,
        name: 'q',
        path: 'secret/',
        rate: 2.5,
        role: '',
        type: 'rate-limit',
      }
      expect(statusAndBody(await secrets.get(at))).toEqual(ok({ data }))
      const changed = { rate: 3, path: 'secret/data/a*', interval: '1m', block_interval: '1h' }
      await secrets.post(at, changed)
      expect((await secrets.get(at)).body.data).toEqual({
        ...data,
        rate: 3,
        path: 'secret/data/a*',
        interval: 60,
        block_interval: 3600,
      })
      expect((await secrets.list('sys/quotas/rate-limit')).body.data).toEqual({ keys: ['q'] })
      expect(statusAndBody(await secrets.delete(at))).toEqual(noContent)
      expect(statusAndBody(await secrets.delete(at))).toEqual(noContent)
      expect(statusAndBody(await secrets.get(at))).toEqual(error(404))
    })

    test.each([
      [{}, "'rate' is invalid"],
      [{ rate: -1 }, "'rate' is invalid"],
      [{ rate: 1, path: 'none' }, 'invalid mount path "none/"'],
      [
        { rate: 1, path: 'secret', role: 'x' },
        'Mount path "secret/" is not a valid auth method and therefore unsuitable for use with role-based quotas',
      ],
      [
        { rate: 1, path: 'auth/token', role: 'x' },
        'Mount path "auth/token/" does not support use with role-based quotas',
      ],
      [
        { rate: 1, path: 'secret/data/a', role: 'x' },
        'Quotas cannot contain both a path suffix and a role. If a role is provided, path must be a valid auth mount with a concept of roles',
      ],
      [
        { rate: 1, path: 'cubbyhole' },
        'quota rule with similar properties exists under the name "other"',
      ],
    ])('%j is 400 and stores nothing', async (quota, text) => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/quotas/rate-limit/other', { rate: 1, path: 'cubbyhole/' })
      expect(statusAndBody(await secrets.post(at, quota))).toEqual(error(400, text))
      expect((await secrets.get(at)).status).toBe(404)
    })

    test('a rate that is not a number is 400', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(at, { rate: 'x' }))).toEqual(
        error(
          400,
          'Field validation failed: error converting input x for field "rate": cannot parse \'\' as float: strconv.ParseFloat: parsing "x": invalid syntax',
        ),
      )
    })

    test('one request too many is 429 until the interval ends, for each address', async () => {
      const { secrets, statuses, clock } = await limited(
        { rate: 2, interval: '5s', path: 'cubbyhole' },
        { dialect },
      )
      expect(await statuses('cubbyhole/x', 3)).toEqual([404, 404, 429])
      expect(statusAndBody(await secrets.get('cubbyhole/x'))).toEqual(
        error(429, 'request path "cubbyhole/x": rate limit quota exceeded'),
      )
      expect(await statuses('cubbyhole/x', 1, '10.0.0.9')).toEqual([404])
      expect((await secrets.get('secret/config')).status).toBe(200)
      clock.advance(4_999)
      expect(await statuses('cubbyhole/x', 1)).toEqual([429])
      clock.advance(1)
      expect(await statuses('cubbyhole/x', 1)).toEqual([404])
    })

    test('headers show the remaining requests if the settings enable them', async () => {
      const { secrets, clock } = await limited({ rate: 1, interval: '5s', path: 'cubbyhole' })
      expect((await secrets.get('cubbyhole/x')).headers['x-ratelimit-limit']).toBeUndefined()
      clock.advance(5_000)
      await secrets.post('sys/quotas/config', { enable_rate_limit_response_headers: true })
      expect((await secrets.get('cubbyhole/x')).headers).toMatchObject({
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '5',
      })
      const { status, headers } = await secrets.get('cubbyhole/x')
      expect([status, headers['retry-after']]).toEqual([429, '5'])
    })
  },
)

describe('behaviour/secrets#quotas', () => {
  test('an address that sends too much is blocked as long as the quota says', async () => {
    const { statuses, clock } = await limited({ rate: 1, path: 'cubbyhole', block_interval: '1m' })
    expect(await statuses('cubbyhole/x', 2)).toEqual([404, 429])
    clock.advance(59_000)
    expect(await statuses('cubbyhole/x', 1)).toEqual([429])
    clock.advance(1_000)
    expect(await statuses('cubbyhole/x', 1)).toEqual([404])
  })

  test('the most precise quota counts', async () => {
    const { secrets, statuses, clock } = await limited({ rate: 1 })
    await secrets.post('sys/quotas/config', { rate_limit_exempt_paths: ['sys/*'] })
    const write = (name: string, quota: object) =>
      secrets.post(`sys/quotas/rate-limit/${name}`, { interval: '1h', ...quota })
    await write('mount', { rate: 2, path: 'cubbyhole' })
    await write('glob', { rate: 3, path: 'cubbyhole/a*' })
    await write('exact', { rate: 4, path: 'cubbyhole/ab' })
    expect(await statuses('cubbyhole/b', 3)).toEqual([404, 404, 429])
    expect(await statuses('cubbyhole/ac', 4)).toEqual([404, 404, 404, 429])
    expect(await statuses('cubbyhole/ab', 5)).toEqual([404, 404, 404, 404, 429])
    expect(await statuses('sys/health', 3)).toEqual([200, 200, 200])
    clock.advance(1_000)
    expect(await statuses('secret/config', 2)).toEqual([200, 429])
  })

  test('the quota of a role limits its logins alone', async () => {
    const { secrets, login, roleId, secretId } = await approleServer()
    const quota = { rate: 1, interval: '1h', path: 'auth/approle', role: 'app' }
    await secrets.post(at, quota)
    const role_id = await roleId()
    const one = async () =>
      (await login({ role_id, secret_id: (await secretId()).secret_id })).status
    expect([await one(), await one()]).toEqual([200, 429])
    expect((await login({ role_id: 'x' })).status).toBe(400)
  })

  test('the settings replace the paths without a limit', async () => {
    const { secrets } = await servedSecrets()
    const { data } = (await secrets.get('sys/quotas/config')).body
    expect(data).toMatchObject({
      enable_rate_limit_audit_logging: false,
      enable_rate_limit_response_headers: false,
    })
    expect(data.rate_limit_exempt_paths).toContain('sys/unseal')
    const paths = ['a/b']
    const write = { rate_limit_exempt_paths: paths }
    expect(statusAndBody(await secrets.post('sys/quotas/config', write))).toEqual(noContent)
    expect((await secrets.get('sys/quotas/config')).body.data.rate_limit_exempt_paths).toEqual(
      paths,
    )
    await secrets.post('sys/quotas/config', {})
    expect((await secrets.get('sys/quotas/config')).body.data.rate_limit_exempt_paths).toEqual([])
  })

  test('a login beyond the lease count is 429, and the end of a lease makes room', async () => {
    const { secrets, as, logIn, login, roleId, secretId } = await approleServer()
    const count = 'sys/quotas/lease-count/c'
    expect(statusAndBody(await secrets.post(count, {}))).toEqual(
      error(400, "'max_leases' is invalid"),
    )
    const quota = { max_leases: 1, path: 'auth/approle' }
    expect(statusAndBody(await secrets.post(count, quota))).toEqual(noContent)
    const { client_token } = await logIn()
    expect(statusAndBody(await secrets.get(count))).toEqual(
      ok({
        data: {
          counter: 1,
          max_leases: 1,
          name: 'c',
          path: 'auth/approle/',
          role: '',
          type: 'lease-count',
        },
      }),
    )
    const { secret_id } = await secretId()
    const again = await login({ role_id: await roleId(), secret_id })
    expect(statusAndBody(again)).toEqual(
      error(429, 'request path "auth/approle/login": lease count quota exceeded'),
    )
    await as(client_token).post('auth/token/revoke-self')
    await logIn()
    expect((await secrets.list('sys/quotas/lease-count')).body.data).toEqual({ keys: ['c'] })
    expect(statusAndBody(await secrets.delete(count))).toEqual(noContent)
    await logIn()
  })

  test('the community edition has no lease counts, namespaces no quotas', async () => {
    const community = await servedSecrets({ secrets: { edition: 'community' } })
    expect(
      statusAndBody(await community.secrets.post('sys/quotas/lease-count/c', { max_leases: 1 })),
    ).toEqual(error(404, 'enterprise-only feature'))
    const { secrets } = await servedSecrets()
    await secrets.post('sys/namespaces/team')
    const headers = { 'x-secrets-namespace': 'team' }
    expect((await secrets.post(at, { rate: 1 }, { headers })).status).toBe(400)
  })

  test('need a capability', async () => {
    const { secrets, as } = await servedSecrets()
    const { client_token } = (await secrets.post('auth/token/create', { policies: ['default'] }))
      .body.auth
    const denied = multierrorReply(403, 'permission denied')
    for (const path of ['sys/quotas/config', at, 'sys/quotas/lease-count/c']) {
      expect(statusAndBody(await as(client_token).get(path))).toEqual(denied)
    }
  })
})
