import { describe, expect, test } from 'vitest'
import { orchestratorView } from '../../../../state/secrets/orch/view.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { claimsOf, counts, modes, role, serverWithOrch, yamlRules } from './orch.ts'

const vendor = { dialect: 'vendor' } as const

const namespaceRequired = multierrorReply(
  500,
  "error verifying namespace: 'kubernetes_namespace' is required unless the Vault role has a single namespace specified",
)

describe('behaviour/secrets#vendor-names: names of the vendor', () => {
  test("both spellings are accepted, the dialect's spelling is returned", async () => {
    for (const [dialect, mount] of [
      ['neutral', 'orch'],
      ['vendor', 'kubernetes'],
    ] as const) {
      const { secrets } = await serverWithOrch({ dialect })
      for (const spelling of ['orch', 'kubernetes']) {
        const config = { [`${spelling}_host`]: 'https://a', [`${spelling}_ca_cert`]: 'PEM' }
        expect(statusAndBody(await secrets.post(`${mount}/config`, config))).toEqual(noContent)
        expect(statusAndBody(await secrets.get(`${mount}/config`))).toEqual(
          ok({
            data: {
              disable_local_ca_jwt: false,
              [`${mount}_ca_cert`]: 'PEM',
              [`${mount}_host`]: 'https://a',
            },
          }),
        )
        const body = {
          [`allowed_${spelling}_namespaces`]: 'a',
          [`${spelling}_role_name`]: 'reader',
          [`${spelling}_role_type`]: 'clusterrole',
        }
        expect(statusAndBody(await secrets.post(`${mount}/roles/${spelling}`, body))).toEqual(
          noContent,
        )
        expect((await secrets.get(`${mount}/roles/${spelling}`)).body.data).toMatchObject({
          [`allowed_${mount}_namespaces`]: ['a'],
          [`${mount}_role_name`]: 'reader',
          [`${mount}_role_type`]: 'ClusterRole',
        })
        const ask = { [`${spelling}_namespace`]: 'a', cluster_role_binding: true }
        const reply = await secrets.post(`${mount}/creds/${spelling}`, ask)
        expect([reply.status, reply.body.warnings]).toEqual([200, null])
      }
    }
  })

  // choice/secrets#orch-audiences
  test('reading a role returns the fields of newer releases', async () => {
    const { secrets } = await serverWithOrch(vendor)
    const body = { allowed_kubernetes_namespaces: '*', generated_role_rules: yamlRules }
    await secrets.post('kubernetes/roles/app', body)
    const read = {
      additional_metadata: {},
      allowed_kubernetes_namespace_selector: '',
      allowed_kubernetes_namespaces: ['*'],
      extra_annotations: null,
      extra_labels: null,
      generated_role_rules: yamlRules,
      kubernetes_role_name: '',
      kubernetes_role_type: 'Role',
      name: 'app',
      name_template: '',
      service_account_name: '',
      token_default_audiences: null,
      token_default_ttl: 0,
      token_max_ttl: 0,
    }
    expect(statusAndBody(await secrets.get('kubernetes/roles/app'))).toEqual(ok({ data: read }))
    const more = {
      allowed_kubernetes_namespace_selector: '{"matchLabels": {"a": "b"}}',
      extra_annotations: { note: 'x' },
      extra_labels: { team: 'y' },
      token_default_audiences: ['z'],
    }
    await secrets.post('kubernetes/roles/app', more)
    expect(statusAndBody(await secrets.get('kubernetes/roles/app'))).toEqual(
      ok({
        data: {
          ...read,
          ...more,
          additional_metadata: { labels: { team: 'y' }, annotations: { note: 'x' } },
        },
      }),
    )
  })

  test.each([
    [
      { kubernetes_role_name: 'x' },
      'one (at least) of allowed_kubernetes_namespaces or allowed_kubernetes_namespace_selector must be set',
    ],
    [
      { allowed_kubernetes_namespaces: '*' },
      'one (and only one) of service_account_name, kubernetes_role_name or generated_role_rules must be set',
    ],
    [
      {
        allowed_kubernetes_namespaces: '*',
        kubernetes_role_name: 'x',
        kubernetes_role_type: 'x',
      },
      "kubernetes_role_type must be either 'Role' or 'ClusterRole'",
    ],
    [
      { allowed_kubernetes_namespaces: '*', generated_role_rules: 'x' },
      "failed to parse 'generated_role_rules' as k8s.io/api/rbac/v1/Policy object",
    ],
    [
      {
        allowed_kubernetes_namespace_selector: '[',
        kubernetes_role_name: 'x',
      },
      "failed to parse 'allowed_kubernetes_namespace_selector' as k8s.io/api/meta/v1/LabelSelector object",
    ],
  ])('the role %j is refused with the text %s', async (body, text) => {
    const { secrets } = await serverWithOrch(vendor)
    expect(statusAndBody(await secrets.post('kubernetes/roles/app', body))).toEqual(
      error(400, text),
    )
  })

  test('refusals of credentials: names and, where the reference errs, 500', async () => {
    const created = await serverWithOrch(vendor)
    const limited = { ...modes.account, allowed_orch_namespaces: 'a,b' }
    await role(created, 'app', limited, 'kubernetes')
    await role(created, 'bad', { ...modes.role, name_template: '{{ .X }}' }, 'kubernetes')
    const ask = async (name: string, body: object) =>
      statusAndBody(await created.secrets.post(`kubernetes/creds/${name}`, body))
    const inA = { kubernetes_namespace: 'a' }
    expect(await ask('app', {})).toEqual(namespaceRequired)
    expect(await ask('app', { kubernetes_namespace: 'c' })).toEqual(
      error(
        400,
        "kubernetes_namespace 'c' is not present in role's allowed_kubernetes_namespaces or does not match role's label selector allowed_kubernetes_namespace_selector",
      ),
    )
    expect(await ask('bad', inA)).toEqual(
      multierrorReply(
        500,
        'failed to generate name: unable to apply template: template: template:1:3: executing "template" at <.X>: can\'t evaluate field X in type kubesecrets.nameMetadata',
      ),
    )
    created.world.changeOptions({ secrets: { orchMissingAccounts: ['a/app'] } })
    expect(await ask('app', inA)).toEqual(
      multierrorReply(
        500,
        'failed to create a service account token for a/app: serviceaccounts "app" not found',
      ),
    )
    await created.secrets.delete('kubernetes/config')
    expect(await ask('app', inA)).toEqual(
      multierrorReply(500, 'could not load backend configuration'),
    )
  })

  test('tokens have the claims and the issuer of the product, and objects its labels', async () => {
    const created = await serverWithOrch(vendor)
    await role(created, 'app', modes.role, 'kubernetes')
    const reply = await created.secrets.post('kubernetes/creds/app', { kubernetes_namespace: 'a' })
    expect(reply.body.lease_id).toMatch(/^kubernetes\/creds\/app\//)
    expect(claimsOf(reply.body.data.service_account_token)).toMatchObject({
      aud: ['https://kubernetes.default.svc.cluster.local'],
      iss: 'https://kubernetes.default.svc.cluster.local',
      'kubernetes.io': { namespace: 'a' },
    })
    expect(orchestratorView(created.world).serviceAccounts[0]?.labels).toEqual({
      'app.kubernetes.io/managed-by': 'HashiCorp-Vault',
      'app.kubernetes.io/created-by': 'vault-plugin-secrets-kubernetes',
    })
  })

  test('a TTL above the maximum gets a warning', async () => {
    const created = await serverWithOrch({ ...vendor, secrets: { orchMaxTtl: '1h' } })
    await role(created, 'app', modes.account, 'kubernetes')
    const body = { kubernetes_namespace: 'a', ttl: '1000h' }
    expect((await created.secrets.post('kubernetes/creds/app', body)).body.warnings).toEqual([
      "ttl of 1000h0m0s is greater than Vault's max lease ttl 768h0m0s; capping accordingly",
      'the created Kubernetes service accout token TTL 1h0m0s is less than the Vault lease TTL 768h0m0s; capping the lease TTL accordingly',
    ])
  })
})

describe('behaviour/secrets#vendor-switches: the only namespace of a role', () => {
  const ask = async (allowed: object) => {
    const created = await serverWithOrch(vendor)
    await role(created, 'app', { ...modes.account, ...allowed }, 'kubernetes')
    const reply = await created.secrets.post('kubernetes/creds/app', {})
    return reply.body.data?.service_account_namespace ?? statusAndBody(reply)
  }

  test('is the default', async () => {
    expect(await ask({ allowed_orch_namespaces: 'only' })).toBe('only')
  })

  test.each([
    { allowed_orch_namespaces: 'a,b' },
    { allowed_orch_namespaces: '*' },
    { allowed_orch_namespaces: 'a', allowed_orch_namespace_selector: '{}' },
  ])('%j gives no default, so a request must name the namespace', async (allowed) => {
    expect(await ask(allowed)).toEqual(namespaceRequired)
  })
})

describe('behaviour/secrets#orch-roles: newer fields', () => {
  const audiences = async (fields: object, requested: object) => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.account, ...fields })
    const body = { orch_namespace: 'a', ...requested }
    const { data } = (await created.secrets.post('orch/creds/app', body)).body
    return claimsOf(data.service_account_token)['aud']
  }

  // choice/secrets#orch-audiences
  test('audiences of the request precede those of the role, which precede those of the orchestrator', async () => {
    const defaults = { token_default_audiences: 'x, y' }
    expect(await audiences(defaults, { audiences: ['z'] })).toEqual(['z'])
    expect(await audiences(defaults, {})).toEqual(['x', 'y'])
    expect(await audiences({}, {})).toEqual(['https://orch.default.svc.cluster.local'])
  })

  const expression = (operator: string, values: readonly string[] = [], key = 'env') =>
    `matchExpressions: [{key: ${key}, operator: ${operator}, values: ${JSON.stringify(values)}}]`

  // choice/secrets#orch-namespace-selector
  test.each([
    ['matchLabels: {env: test}', ['a']],
    ['{"matchLabels": {"env": "test", "tier": "1"}}', ['a']],
    ['matchLabels: {env: test, tier: "2"}', []],
    [expression('In', ['test', 'prod']), ['a', 'b']],
    [expression('NotIn', ['test']), ['b', 'c']],
    [expression('Exists'), ['a', 'b']],
    [expression('DoesNotExist'), ['c']],
    ['{}', ['a', 'b', 'c']],
    ['matchLabels: {orch.io/metadata.name: c}', ['c']],
  ])('allowed_orch_namespace_selector %s allows %j', async (selector, expected) => {
    const orchNamespaceLabels = { a: { env: 'test', tier: '1' }, b: { env: 'prod' } }
    const created = await serverWithOrch({ secrets: { orchNamespaceLabels } })
    await role(created, 'app', {
      ...modes.account,
      allowed_orch_namespaces: [],
      allowed_orch_namespace_selector: selector,
    })
    const allowed: string[] = []
    for (const orch_namespace of ['a', 'b', 'c']) {
      const { status } = await created.secrets.post('orch/creds/app', { orch_namespace })
      if (status === 200) allowed.push(orch_namespace)
    }
    expect(allowed).toEqual(expected)
    expect(counts(created)).toEqual({})
  })

  // choice/secrets#orch-namespace-selector
  test.each([
    'no object',
    'matchLabels: [a]',
    'matchLabels: {a: 1}',
    'matchExpressions: {}',
    'matchExpressions: [a]',
    expression('Equals', ['a']),
    expression('In'),
    expression('Exists', ['a']),
    'matchExpressions: [{operator: Exists}]',
    'matchExpressions: [{key: a, operator: In, values: b}]',
    'matchExpressions: [{key: a, operator: In, values: [1]}]',
  ])('the selector %s is refused', async (allowed_orch_namespace_selector) => {
    const { secrets } = await serverWithOrch()
    const body = { ...modes.account, allowed_orch_namespace_selector }
    expect(statusAndBody(await secrets.post('orch/roles/app', body))).toEqual(
      error(
        400,
        "failed to parse 'allowed_orch_namespace_selector' as orch.io/api/meta/v1/LabelSelector object",
      ),
    )
  })
})
