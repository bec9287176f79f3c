import { describe, expect, test } from 'vitest'
import { orchestratorView } from '../../../../state/secrets/orch/view.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const noHost = multierrorReply(
  400,
  'orch_host was unset and could not be determined from environment variables',
)
const pod = { orchServiceHost: '10.0.0.1', orchServicePort: '443' }

describe('behaviour/secrets#api-orch', () => {
  test('a read returns the stored settings without the credentials', async () => {
    const { secrets } = await servedSecrets()
    const config = {
      orch_host: 'https://orch:6443',
      orch_ca_cert: 'PEM',
      service_account_jwt: 'secret-jwt',
      disable_local_ca_jwt: true,
    }
    expect(statusAndBody(await secrets.post('orch/config', config))).toEqual(noContent)

    const reply = await secrets.get('orch/config')

    expect(statusAndBody(reply)).toEqual(
      ok({
        data: {
          disable_local_ca_jwt: true,
          orch_ca_cert: 'PEM',
          orch_host: 'https://orch:6443',
        },
      }),
    )
    expect(reply.text).not.toContain('secret-jwt')
  })

  test('defaults: empty texts, and the local CA and token are used', async () => {
    const { secrets } = await servedSecrets({ secrets: pod })
    await secrets.post('orch/config', {})
    expect((await secrets.get('orch/config')).body.data).toEqual({
      disable_local_ca_jwt: false,
      orch_ca_cert: '',
      orch_host: '',
    })
  })

  test('a write changes only the members that it names, by PUT and by POST', async () => {
    const { secrets, world } = await servedSecrets()
    await secrets.post('orch/config', { orch_host: 'https://a', service_account_jwt: 'jwt' })
    const change = { orch_host: 'https://a', orch_ca_cert: 'PEM' }
    expect(statusAndBody(await secrets.put('orch/config', change))).toEqual(noContent)
    expect((await secrets.get('orch/config')).body.data).toEqual({
      disable_local_ca_jwt: false,
      orch_ca_cert: 'PEM',
      orch_host: 'https://a',
    })
    expect(orchestratorView(world).engines).toEqual([
      { namespace: '', mount: 'orch/', host: 'https://a', ca: 'config', token: 'config' },
    ])
  })

  test('a deleted or absent configuration is 404; deleting an absent one succeeds', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('orch/config'))).toEqual(error(404))
    await secrets.post('orch/config', { orch_host: 'https://a' })
    for (let times = 0; times < 2; times++) {
      expect(statusAndBody(await secrets.delete('orch/config'))).toEqual(noContent)
      expect(statusAndBody(await secrets.get('orch/config'))).toEqual(error(404))
    }
  })

  test('a value of another type is refused', async () => {
    const { secrets } = await servedSecrets()
    expect(
      statusAndBody(
        await secrets.post('orch/config', { orch_host: 'x', disable_local_ca_jwt: 'maybe' }),
      ),
    ).toEqual(
      error(
        400,
        `Field validation failed: error converting input maybe for field "disable_local_ca_jwt": cannot parse '' as bool: strconv.ParseBool: parsing "maybe": invalid syntax`,
      ),
    )
  })
})

describe("behaviour/secrets#orch-config: the pod's environment", () => {
  test.each([
    ['neither', {}],
    ['the port alone', { orchServicePort: '443' }],
    ['the host alone', { orchServiceHost: '10.0.0.1' }],
  ])(
    'a configuration without a host is refused with %s of the variables',
    async (_, secretsOptions) => {
      const { secrets } = await servedSecrets({ secrets: secretsOptions })
      expect(statusAndBody(await secrets.post('orch/config', {}))).toEqual(noHost)
      expect(statusAndBody(await secrets.get('orch/config'))).toEqual(error(404))
    },
  )

  test('each write names the host, also when one is stored', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/config', { orch_host: 'https://a' })
    const change = { orch_ca_cert: 'PEM' }
    expect(statusAndBody(await secrets.post('orch/config', change))).toEqual(noHost)
    expect((await secrets.get('orch/config')).body.data.orch_ca_cert).toBe('')
  })

  test('removing the host again is refused', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/config', { orch_host: 'https://a' })
    expect(statusAndBody(await secrets.post('orch/config', { orch_host: '' }))).toEqual(noHost)
    expect((await secrets.get('orch/config')).body.data.orch_host).toBe('https://a')
  })

  test('the vendor answers 500', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    expect(statusAndBody(await secrets.post('kubernetes/config', {}))).toEqual(
      multierrorReply(
        500,
        'kubernetes_host was unset and could not be determined from environment variables',
      ),
    )
  })

  test('the vendor stores an empty host, and creates no credentials then', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const write = await secrets.post('kubernetes/config', { kubernetes_host: '' })
    expect(statusAndBody(write)).toEqual(noContent)
    expect((await secrets.get('kubernetes/config')).body.data.kubernetes_host).toBe('')
    await secrets.post('kubernetes/roles/r', {
      allowed_kubernetes_namespaces: 'a',
      service_account_name: 'app',
    })
    expect(statusAndBody(await secrets.post('kubernetes/creds/r', {}))).toEqual(
      multierrorReply(
        500,
        'kubernetes_host was unset and could not determine it from environment variables',
      ),
    )
  })

  // choice/secrets#orch-pod
  test.each([
    [
      'the configuration goes first',
      { orch_host: 'https://a', orch_ca_cert: 'PEM', service_account_jwt: 'jwt' },
      { host: 'https://a', ca: 'config', token: 'config' },
    ],
    ['the pod comes next', {}, { host: 'https://10.0.0.1:443', ca: 'pod', token: 'pod' }],
    [
      'unless its files are disabled',
      { disable_local_ca_jwt: true },
      { host: 'https://10.0.0.1:443', ca: 'system', token: 'none' },
    ],
    [
      'a configured CA stays',
      { disable_local_ca_jwt: true, orch_ca_cert: 'PEM' },
      { host: 'https://10.0.0.1:443', ca: 'config', token: 'none' },
    ],
  ])('defaults of a pod: %s', async (_, config, expected) => {
    const { secrets, world } = await servedSecrets({
      secrets: { ...pod, orchLocalCaCert: 'PEM', orchLocalToken: 'jwt' },
    })
    await secrets.post('orch/config', config)
    expect(orchestratorView(world).engines).toEqual([
      { namespace: '', mount: 'orch/', ...expected },
    ])
  })

  test("outside a pod, the host's root CAs apply, and there is no token", async () => {
    const { secrets, world } = await servedSecrets()
    await secrets.post('orch/config', { orch_host: 'https://a' })
    expect(orchestratorView(world).engines).toEqual([
      { namespace: '', mount: 'orch/', host: 'https://a', ca: 'system', token: 'none' },
    ])
  })

  test('without the environment there is no host, and requests for credentials fail', async () => {
    const { secrets, world } = await servedSecrets({ secrets: pod })
    await secrets.post('orch/config', {})
    await secrets.post('orch/roles/r', {
      allowed_orch_namespaces: '*',
      service_account_name: 'app',
    })
    world.changeOptions({ secrets: { orchServiceHost: '' } })
    expect(orchestratorView(world).engines).toEqual([
      { namespace: '', mount: 'orch/', host: null, ca: 'system', token: 'none' },
    ])
    expect(statusAndBody(await secrets.post('orch/creds/r', { orch_namespace: 'a' }))).toEqual(
      multierrorReply(
        400,
        'orch_host was unset and could not determine it from environment variables',
      ),
    )
  })
})

describe('behaviour/secrets#orch-objects', () => {
  // choice/secrets#orch-pod
  test.each([
    [pod, noContent],
    [
      { orchServiceHost: '10.0.0.1' },
      error(400, 'Missing environment variables: ORCH_SERVICE_PORT_HTTPS'),
    ],
    [{ orchServicePort: '443' }, error(400, 'Missing environment variables: ORCH_SERVICE_HOST')],
    [{}, error(400, 'Missing environment variables: ORCH_SERVICE_HOST, ORCH_SERVICE_PORT_HTTPS')],
  ])('with %j', async (secretsOptions, expected) => {
    const { secrets } = await servedSecrets({ secrets: secretsOptions })
    expect(statusAndBody(await secrets.get('orch/check'))).toEqual(expected)
  })

  test('the vendor names its own variables', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    expect(statusAndBody(await secrets.get('kubernetes/check'))).toEqual(
      error(
        400,
        'Missing environment variables: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT_HTTPS',
      ),
    )
  })
})
