import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

const noToken = { token: null }
const generate = 'sys/replication/dr/secondary/generate-operation-token'

describe('behaviour/secrets#bare-endpoints: bare endpoints of a sealed node', () => {
  test.each([
    ['GET', 'sys/rekey/init'],
    ['POST', 'sys/rekey/init'],
    ['POST', 'sys/rekey/update'],
    ['POST', 'sys/rekey/verify'],
    ['GET', 'sys/rekey/verify'],
    ['POST', `${generate}/attempt`],
    ['POST', `${generate}/update`],
  ])('%s %s: 503 before body and fields', async (method, path) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ dialect, secrets: { sealed: true } })
      const text = dialect === 'vendor' ? 'Vault is sealed' : 'Service is sealed'
      for (const payload of method === 'GET' ? [undefined] : ['{}', '{', '{"key":3}', undefined]) {
        expect(statusAndBody(await secrets.request({ method, path, payload, ...noToken }))).toEqual(
          error(503, text),
        )
      }
    }
  })

  test('a verb that is not offered is refused first', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    expect(statusAndBody(await secrets.patch('sys/rekey/init', '{'))).toEqual(error(405))
    expect(statusAndBody(await secrets.delete('sys/seal-status'))).toEqual(error(405))
  })
})

describe('behaviour/secrets#bare-endpoints: bare endpoints decode strictly', () => {
  const reply = (why: string) =>
    error(400, `failed to parse JSON input: json: cannot unmarshal ${why}`)
  const field = (kind: string, place: string, type: string) =>
    reply(`${kind} into Go struct field ${place} of type ${type}`)

  test.each<[string, string, object]>([
    ['sys/unseal', '', error(400, 'EOF')],
    ['sys/unseal', ' \n', error(400, 'EOF')],
    ['sys/unseal', '{"key":', error(400, 'failed to parse JSON input: unexpected EOF')],
    [
      'sys/unseal',
      'a=b',
      error(
        400,
        "failed to parse JSON input: invalid character 'a' looking for beginning of value",
      ),
    ],
    ['sys/unseal', '[]', reply('array into Go value of type http.UnsealRequest')],
    ['sys/unseal', '"x"', reply('string into Go value of type http.UnsealRequest')],
    ['sys/unseal', '3', reply('number into Go value of type http.UnsealRequest')],
    ['sys/unseal', 'true', reply('bool into Go value of type http.UnsealRequest')],
    ['sys/unseal', '{"key":3}', field('number', 'UnsealRequest.Key', 'string')],
    ['sys/unseal', '{"KEY":[]}', field('array', 'UnsealRequest.Key', 'string')],
    ['sys/unseal', '{"reset":"true"}', field('string', 'UnsealRequest.Reset', 'bool')],
    ['sys/init', '', error(400, 'EOF')],
    ['sys/init', '{"secret_shares":"3"}', field('string', 'InitRequest.secret_shares', 'int')],
    [
      'sys/rekey/init',
      '{"secret_shares":3.5}',
      field('number 3.5', 'RekeyRequest.secret_shares', 'int'),
    ],
    [
      'sys/rekey/init',
      '{"secret_shares":1e1}',
      field('number 1e1', 'RekeyRequest.secret_shares', 'int'),
    ],
    [
      'sys/rekey/init',
      '{"secret_shares":{}}',
      field('object', 'RekeyRequest.secret_shares', 'int'),
    ],
    ['sys/rekey/init', '{"pgp_keys":"a"}', field('string', 'RekeyRequest.pgp_keys', '[]string')],
    ['sys/rekey/init', '{"pgp_keys":["a",1]}', field('number', 'RekeyRequest.pgp_keys', 'string')],
    ['sys/rekey/init', '{"backup":1}', field('number', 'RekeyRequest.backup', 'bool')],
    ['sys/rekey/update', '{"key":true}', field('bool', 'RekeyUpdateRequest.Key', 'string')],
    ['sys/rekey/update', '{"nonce":1}', field('number', 'RekeyUpdateRequest.Nonce', 'string')],
    [
      'sys/rekey/verify',
      '{"key":1}',
      field('number', 'RekeyVerificationUpdateRequest.key', 'string'),
    ],
    [`${generate}/attempt`, '{"otp":1}', field('number', 'GenerateRootInitRequest.otp', 'string')],
    [`${generate}/update`, '{"key":1}', field('number', 'GenerateRootUpdateRequest.Key', 'string')],
    [`${generate}/update`, '', error(400, 'EOF')],
  ])('%s %j', async (path, payload, expected) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(path, payload))).toEqual(expected)
    }
  })

  test('null and text after the object are ignored, and names match in any case', async () => {
    const { secrets } = await servedSecrets()
    const missing = error(
      400,
      "'key' must be specified in request body as JSON, or 'reset' set to true",
    )
    expect(statusAndBody(await secrets.post('sys/unseal', '{"key":null}'))).toEqual(missing)
    expect(statusAndBody(await secrets.post('sys/unseal', '{} {"key":'))).toEqual(missing)
    expect(statusAndBody(await secrets.post('sys/unseal', 'null'))).toEqual(missing)
    expect(statusAndBody(await secrets.post('sys/unseal', '{"Key":"aabb"}'))).toEqual(
      error(400, 'invalid key: key is shorter than minimum 16 bytes'),
    )
  })

  test('an attempt at an operation token needs no body', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`${generate}/attempt`))).toEqual(
      error(400, 'this cluster is not a DR secondary'),
    )
  })

  test('`list=true` has no effect on them', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.list('sys/health')).body).toEqual((await secrets.get('sys/health')).body)
  })
})

describe('behaviour/secrets#seal: sys/seal and sys/step-down', () => {
  test.each(['sys/seal', 'sys/step-down'])(
    '%s: other verbs are 405 before the token is checked',
    async (path) => {
      const { secrets } = await servedSecrets()
      for (const method of ['GET', 'DELETE']) {
        expect(statusAndBody(await secrets.request({ method, path, ...noToken }))).toEqual(
          error(405),
        )
      }
      expect(statusAndBody(await secrets.post(path, '{}', noToken))).toEqual(
        error(403, 'permission denied'),
      )
    },
  )

  test('the text of one without the capability stays a raised one', async () => {
    const { secrets, as } = await servedSecrets()
    const weak = (await secrets.post('auth/token/create', { policies: ['default'] })).body.auth
    expect(statusAndBody(await as(weak.client_token).post('sys/seal'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })
})
