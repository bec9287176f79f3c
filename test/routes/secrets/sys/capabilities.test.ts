import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

/** Starts a server with a token that may read and list `a/*`. */
async function withReader() {
  const server = await servedSecrets()
  await server.secrets.post('sys/policies/acl/reader', {
    policy: 'path "a/*" { capabilities = ["read", "list"] }',
  })
  const created = await server.secrets.post('auth/token/create', { policies: ['reader'] })
  const { client_token, accessor } = created.body.auth
  return { ...server, token: String(client_token), accessor: String(accessor) }
}

describe('behaviour/secrets#policies: sys/capabilities-self', () => {
  test('a single path is repeated under capabilities', async () => {
    const { as, token } = await withReader()
    const capabilities = ['list', 'read']
    expect(
      statusAndBody(await as(token).post('sys/capabilities-self', { paths: ['a/b'] })),
    ).toEqual(
      ok({ data: { 'a/b': capabilities, capabilities }, 'a/b': capabilities, capabilities }),
    )
  })

  test('a reply for several paths has no list, and root is shown as root', async () => {
    const { as, secrets, token } = await withReader()
    const own = { 'a/b': ['list', 'read'], c: ['deny'] }
    expect(
      statusAndBody(await as(token).post('sys/capabilities-self', { paths: 'a/b,c' })),
    ).toEqual(ok({ data: own, ...own }))
    const roots = { 'a/b': ['root'], c: ['root'] }
    expect(
      statusAndBody(await secrets.post('sys/capabilities-self', { paths: ['a/b', 'c'] })),
    ).toEqual(ok({ data: roots, ...roots }))
  })

  test('a token in the body of a question about oneself has no effect and no warning', async () => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.post('sys/capabilities-self', { paths: ['a'], token: 'nobody' })
    expect([body.data.a, body.warnings]).toEqual([['root'], null])
  })

  test('the old field path does as well', async () => {
    const { secrets } = await servedSecrets()
    const capabilities = ['root']
    expect(statusAndBody(await secrets.post('sys/capabilities-self', { path: 'x' }))).toEqual(
      ok({ data: { capabilities, x: capabilities }, capabilities, x: capabilities }),
    )
  })

  test.each(['capabilities-self', 'capabilities', 'capabilities-accessor'])(
    '%s without paths is refused',
    async (endpoint) => {
      const { secrets, token, accessor } = await withReader()
      expect(statusAndBody(await secrets.post(`sys/${endpoint}`, { token, accessor }))).toEqual(
        error(400, 'paths must be supplied'),
      )
    },
  )
})

describe('behaviour/program#bounds: many paths against many rules', () => {
  test('paths meet few of 20,000 rules with +, and are looked up in steps', async () => {
    const { as, secrets } = await servedSecrets()
    const numbers = Array.from({ length: 20_000 }, (_, at) => at)
    const rules = numbers.map((at) => `path "s/+/${at}" { capabilities = ["read"] }`)
    // The path `slow` matches all of these rules, which takes longer than one step may.
    const letters = numbers.slice(0, 4096).map((at) => {
      const path = [...at.toString(2).padStart(12, '0')].map((bit) => (bit === '0' ? 'a' : '+'))
      return `path "t/${path.join('/')}" { capabilities = ["list"] }`
    })
    await secrets.post('sys/policies/acl/many', { policy: [...rules, ...letters].join('\n') })
    const { body } = await secrets.post('auth/token/create', { policies: ['many'] })
    const slow = `t/${'a/'.repeat(11)}a`
    const paths = [...numbers.slice(0, 5000).map((at) => `s/x/${at}`), slow, 's/x', 't/b']
    const turns: number[] = []
    const timer = setInterval(() => void turns.push(1), 1)
    const reply = await as(body.auth.client_token).post('sys/capabilities-self', {
      paths: [...paths, ...Array.from({ length: 200 }, (_, at) => `${slow.slice(0, -1)}${at}`)],
    })
    clearInterval(timer)
    expect(reply.body.data).toMatchObject({
      's/x/0': ['read'],
      's/x/4999': ['read'],
      [slow]: ['list'],
      's/x': ['deny'],
      't/b': ['deny'],
    })
    expect(turns.length).toBeGreaterThan(1)
  })
})

describe('behaviour/secrets#policies: sys/capabilities and -accessor', () => {
  test('returns the capabilities of another token', async () => {
    const { secrets, token, accessor } = await withReader()
    const capabilities = ['list', 'read']
    const expected = ok({
      data: { 'a/b': capabilities, capabilities },
      'a/b': capabilities,
      capabilities,
    })
    expect(
      statusAndBody(await secrets.post('sys/capabilities', { token, paths: ['a/b'] })),
    ).toEqual(expected)
    expect(
      statusAndBody(await secrets.post('sys/capabilities-accessor', { accessor, paths: ['a/b'] })),
    ).toEqual(expected)
  })

  test.each([
    ['capabilities', { token: 'nobody' }, 'invalid token'],
    ['capabilities', {}, 'no token found'],
    ['capabilities-accessor', { accessor: 'nobody' }, 'invalid accessor'],
  ])('sys/%s %j: %s', async (endpoint, body, text) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`sys/${endpoint}`, { ...body, paths: ['a'] }))).toEqual(
      multierrorReply(400, text),
    )
  })
})

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#policies, %s: sys/capabilities* in order',
  (dialect) => {
    const post = async (endpoint: string, body: object) => {
      const { secrets } = await servedSecrets({ dialect })
      return statusAndBody(await secrets.post(`sys/${endpoint}`, body))
    }
    const noToken = multierrorReply(dialect === 'vendor' ? 500 : 400, 'no token found')

    test.each([
      ['capabilities', {}, noToken],
      ['capabilities', { paths: [''] }, noToken],
      ['capabilities', { token: 'nobody' }, error(400, 'paths must be supplied')],
      ['capabilities', { token: 'nobody', paths: [''] }, multierrorReply(400, 'missing path')],
      [
        'capabilities',
        { token: 'nobody', paths: ['a', ''] },
        multierrorReply(400, 'invalid token'),
      ],
      ['capabilities', { token: 'root', paths: ['a', ''] }, multierrorReply(400, 'missing path')],
      ['capabilities-accessor', {}, error(400, 'missing accessor')],
      ['capabilities-accessor', { accessor: 'x' }, multierrorReply(400, 'invalid accessor')],
      [
        'capabilities-accessor',
        { accessor: 'x', paths: [''] },
        multierrorReply(400, 'invalid accessor'),
      ],
      ['capabilities-self', {}, error(400, 'paths must be supplied')],
      ['capabilities-self', { paths: ['a', ''] }, multierrorReply(400, 'missing path')],
    ])('%s %j', async (endpoint, body, reply) => {
      expect(await post(endpoint, body)).toEqual(reply)
    })
  },
)
