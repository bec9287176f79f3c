import { describe, expect, test } from 'vitest'
import { passwordPolicies } from '../../../../state/secrets/passwords/policies.ts'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const policy = `length = 20
rule "charset" {
  charset   = "abcdefghij"
  min-chars = 1
}
rule "charset" {
  charset   = "0123456789"
  min-chars = 2
}`

const at = 'sys/policies/password'
const absent = multierrorReply(404, 'policy does not exist')
const isPassword = /^(?=.*[a-j])(?=(.*\d){2})[a-j0-9]{20}$/

const bare = (body: object) => ({ status: 200, body })

describe('behaviour/secrets#api-password-policies: each row', () => {
  test('POST /sys/policies/password/:name stores a policy; PUT is the same', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${at}/one`, { policy }))).toEqual(noContent)
    expect(statusAndBody(await secrets.put(`${at}/two`, { policy }))).toEqual(noContent)
    expect((await secrets.list(at)).body.data.keys).toEqual(['one', 'two'])
  })

  test('POST takes effect immediately', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    await secrets.post(`${at}/one`, { policy: 'length = 5 rule "charset" { charset = "z" }' })
    expect(statusAndBody(await secrets.get(`${at}/one/generate`))).toEqual(
      bare({ password: 'zzzzz' }),
    )
  })

  test('LIST /sys/policies/password and GET with list=true name the policies', async () => {
    const { secrets } = await servedSecrets()
    for (const name of ['b', 'a/c', 'a']) await secrets.post(`${at}/${name}`, { policy })
    const wanted = ok({ data: { keys: ['a', 'a/c', 'b'] } })
    expect(statusAndBody(await secrets.list(at))).toEqual(wanted)
    expect(statusAndBody(await secrets.list(`${at}/`))).toEqual(wanted)
  })

  test('GET /sys/policies/password/:name is a bare {policy}', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(bare({ policy }))
  })

  test('DELETE /sys/policies/password/:name forgets it', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    expect(statusAndBody(await secrets.delete(`${at}/one`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(absent)
    expect(statusAndBody(await secrets.delete(`${at}/one`))).toEqual(noContent)
  })

  test('GET /sys/policies/password/:name/generate is a bare {password}', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    const one = await secrets.get(`${at}/one/generate`)
    expect(statusAndBody(one)).toEqual(bare({ password: expect.stringMatching(isPassword) }))
    expect((await secrets.get(`${at}/one/generate`)).body).not.toEqual(one.body)
  })
})

describe('behaviour/secrets#password-policies: replies', () => {
  test('vendor: envelopes, the keys of data not repeated (behaviour/secrets#body-kinds)', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    await secrets.post(`${at}/one`, { policy })
    const read = ok({ data: { policy } })
    expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(read)
    const generated = await secrets.get(`${at}/one/generate`)
    const { password } = generated.body.data
    expect(password).toMatch(isPassword)
    expect(statusAndBody(generated)).toEqual(ok({ data: { password } }))
  })

  test('vendor: unknown parameters cause warnings, for which neutral has no place', async () => {
    const query = { x: '1' }
    const neutral = await servedSecrets()
    await neutral.secrets.post(`${at}/one`, { policy })
    expect(statusAndBody(await neutral.secrets.get(`${at}/one`, { query }))).toEqual(
      bare({ policy }),
    )
    const vendor = await servedSecrets({ dialect: 'vendor' })
    await vendor.secrets.post(`${at}/one`, { policy })
    const warnings = ['Endpoint ignored these unrecognized parameters: [x]']
    expect(statusAndBody(await vendor.secrets.get(`${at}/one`, { query }))).toEqual(
      ok({ data: { policy }, warnings }),
    )
  })

  test('without any policy the list is 404', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
  })

  test.each(['none', 'no/ne', 'one/more'])('%s does not exist', async (name) => {
    const { secrets } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    expect(statusAndBody(await secrets.get(`${at}/${name}`))).toEqual(absent)
    expect(statusAndBody(await secrets.get(`${at}/${name}/generate`))).toEqual(absent)
  })

  test('names may hold slashes', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${at}/team/db/main`, { policy }))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${at}/team/db/main`))).toEqual(bare({ policy }))
    expect((await secrets.get(`${at}/team/db/main/generate`)).body.password).toMatch(isPassword)
    expect(statusAndBody(await secrets.get(`${at}/team/db`))).toEqual(absent)
    expect(statusAndBody(await secrets.get(`${at}/team/db/main/`))).toEqual(absent)
    expect(statusAndBody(await secrets.delete(`${at}/team/db/main/`))).toEqual(noContent)
    expect((await secrets.get(`${at}/team/db/main`)).status).toBe(200)
    expect(statusAndBody(await secrets.delete(`${at}/team/db/main`))).toEqual(noContent)
    expect(statusAndBody(await secrets.list(at))).toEqual(error(404))
  })

  test('base64 is decoded, JSON is taken', async () => {
    const { secrets } = await servedSecrets()
    const json = '{"length":4,"rule":[{"charset":{"charset":"ä🔑","min-chars":1}}]}'
    await secrets.post(`${at}/one`, { policy: Buffer.from(json).toString('base64') })
    expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(bare({ policy: json }))
    expect((await secrets.get(`${at}/one/generate`)).body.password).toMatch(/^[ä🔑]{4}$/u)
  })

  test('equal seeds generate alike', async () => {
    const generate = async (seed: string) => {
      const { secrets } = await servedSecrets({ seed })
      await secrets.post(`${at}/one`, { policy })
      return (await secrets.get(`${at}/one/generate`)).body
    }
    expect(await generate('a')).toEqual(await generate('a'))
    expect(await generate('a')).not.toEqual(await generate('b'))
  })
})

describe('behaviour/secrets#password-policies: refusals', () => {
  const rule = 'rule "charset" { charset = "ab" }'

  test.each([
    ['no policy', {}, 'missing policy'],
    ['null', { policy: null }, 'missing policy'],
    ['an empty policy', { policy: '' }, 'missing policy'],
    [
      'what does not parse',
      { policy: 'length' },
      "invalid password policy: unable to decode: At 1:8: key 'length' expected start of object ('{') or assignment ('=')",
    ],
    [
      'a length of another type',
      { policy: `length = "8" ${rule}` },
      "invalid password policy: failed to decode configuration: 1 error(s) decoding:\n\n* 'length' expected type 'int', got unconvertible type 'string', value: '8'",
    ],
    [
      'a rule of unknown type',
      { policy: 'length = 8 rule "digits" { min = 1 }' },
      'invalid password policy: unable to parse rules: unable to parse rule digits: unrecognized rule type digits',
    ],
    [
      'neither length nor charset',
      { policy: 'x = 1' },
      'invalid password policy: 2 errors occurred:\n\t* length must be > 0\n\t* no charset specified\n\n',
    ],
    [
      'rules that need more room',
      { policy: 'length = 8 rule "charset" { charset = "ab" min-chars = 9 }' },
      'invalid password policy: 1 error occurred:\n\t* specified rules require at least 9 characters but 8 is specified\n\n',
    ],
    [
      'characters that cannot be printed',
      { policy: 'length = 8 rule "charset" { charset = "a\\n" }' },
      'invalid password policy: 1 error occurred:\n\t* non-printable character in charset\n\n',
    ],
    [
      'a length of 3',
      { policy: `length = 3 ${rule}` },
      'passwords must be between 4 and 100 characters',
    ],
    [
      'a length of 101',
      { policy: `length = 101 ${rule}` },
      'passwords must be between 4 and 100 characters',
    ],
    [
      'impossible rules',
      { policy: `length = 8 ${rule} rule "charset" { charset = "" min-chars = 1 }` },
      'unable to construct test password from provided policy: are the rules impossible?',
    ],
  ])('%s', async (_, body, message) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(`${at}/one`, body))).toEqual(
        multierrorReply(400, message),
      )
      expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(absent)
    }
  })

  test('a policy that is not a text is refused', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${at}/one`, { policy: { length: 8 } }))).toEqual(
      error(
        400,
        `Field validation failed: error converting input map[length:8] for field "policy": '' expected type 'string', got unconvertible type 'map[string]interface {}', value: 'map[length:8]'`,
      ),
    )
  })

  // choice/secrets#password-candidates
  test('rules that hardly any password fulfils are stored and fail at generation', async () => {
    const { secrets } = await servedSecrets()
    const hardPolicy = `length = 100 rule "charset" { charset = "ab" min-chars = 99 } rule "charset" { charset = "cdefghijklmnopqrstuvwxyz" }`
    expect(statusAndBody(await secrets.post(`${at}/hard`, { policy: hardPolicy }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.get(`${at}/hard/generate`))).toEqual(
      multierrorReply(500, 'failed to generate password from policy: timed out generating string'),
    )
  })

  // choice/secrets#password-charset-too-long
  test('a charset of more than 256 characters fails at generation', async () => {
    const { secrets } = await servedSecrets()
    const charset = String.fromCodePoint(...Array.from({ length: 257 }, (_, n) => 0x4e00 + n))
    const long = `length = 8 rule "charset" { charset = "${charset}" }`
    expect(statusAndBody(await secrets.post(`${at}/long`, { policy: long }))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${at}/long/generate`))).toEqual(
      multierrorReply(
        500,
        'failed to generate password from policy: unable to generate random characters: charset is too long: limited to 255 characters',
      ),
    )
  })

  // choice/secrets#broken-password-policies
  test('an imported policy that does not parse is returned, and generates nothing', async () => {
    const { secrets, world } = await servedSecrets()
    world.write(() => world.table(passwordPolicies).put('root/a', { name: 'a', policy: '{' }))
    expect(statusAndBody(await secrets.get(`${at}/a`))).toEqual(bare({ policy: '{' }))
    expect(statusAndBody(await secrets.get(`${at}/a/generate`))).toEqual(
      multierrorReply(500, 'stored password policy configuration failed to parse'),
    )
  })

  test('a name that ends in a period is an unsupported path (behaviour/secrets#api-periods)', async () => {
    const { secrets } = await servedSecrets()
    const wanted = multierrorReply(404, 'unsupported path')
    expect(statusAndBody(await secrets.post(`${at}/one.`, { policy }))).toEqual(wanted)
    expect(statusAndBody(await secrets.get(`${at}/one.`))).toEqual(wanted)
    expect(statusAndBody(await secrets.get(`${at}/one./generate`))).toEqual(wanted)
  })

  test('verbs that a path does not have', async () => {
    const { secrets } = await servedSecrets()
    const wanted = multierrorReply(405, 'unsupported operation')
    expect(statusAndBody(await secrets.get(at))).toEqual(wanted)
    expect(statusAndBody(await secrets.post(`${at}/one/generate`, {}))).toEqual(wanted)
    expect(statusAndBody(await secrets.delete(`${at}/one/generate`))).toEqual(wanted)
    expect(statusAndBody(await secrets.list(`${at}/one`))).toEqual(wanted)
    expect(statusAndBody(await secrets.patch(`${at}/one`, { policy }))).toEqual(wanted)
  })

  test.each<[string, (client: SecretsClient) => ReturnType<SecretsClient['get']>]>([
    ['write', (client) => client.post(`${at}/one`, { policy })],
    ['list', (client) => client.list(at)],
    ['read', (client) => client.get(`${at}/one`)],
    ['delete', (client) => client.delete(`${at}/one`)],
    ['generate', (client) => client.get(`${at}/one/generate`)],
  ])('%s without a capability', async (_, act) => {
    const { secrets, as } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    const created = await secrets.post('auth/token/create', { policies: ['default'] })
    expect(statusAndBody(await act(as(created.body.auth.client_token)))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect(statusAndBody(await act(as('wrong')))).toEqual(error(403, 'permission denied'))
    expect(statusAndBody(await secrets.get(`${at}/one`))).toEqual(bare({ policy }))
  })

  test('a token that may generate need not be able to read', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post(`${at}/one`, { policy })
    const grant = `path "${at}/+/generate" { capabilities = ["read"] }`
    await secrets.post('sys/policies/acl/maker', { policy: grant })
    const created = await secrets.post('auth/token/create', { policies: ['maker'] })
    const client = as(created.body.auth.client_token)
    expect((await client.get(`${at}/one/generate`)).body.password).toMatch(isPassword)
    expect(statusAndBody(await client.get(`${at}/one`))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })
})
