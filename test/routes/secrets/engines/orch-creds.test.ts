import { describe, expect, test } from 'vitest'
import type { SecretsOptions } from '../../../../state/secrets/options.ts'
import { orchestratorView } from '../../../../state/secrets/orch/view.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { claimsOf, counts, modes, podRules, role, serverWithOrch } from './orch.ts'

const month = 2_764_800
const now = testTime / 1000
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const engineLabels = {
  'app.orch.io/managed-by': 'Secrets-Service',
  'app.orch.io/created-by': 'secrets-engine-orch',
}

describe('behaviour/secrets#orch-creds: a token for an account that exists (mode 1)', () => {
  test('the reply has the token, its account and a lease', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const reply = await created.secrets.post('orch/creds/app', { orch_namespace: 'team' })
    expect(statusAndBody(reply)).toEqual(
      ok({
        lease_id: expect.stringMatching(/^orch\/creds\/app\/[0-9A-Za-z]{24}$/),
        lease_duration: month,
        data: {
          service_account_name: 'app',
          service_account_namespace: 'team',
          service_account_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        },
      }),
    )
    expect(counts(created)).toEqual({})
  })

  test('the token has the claims of a service account', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const body = { orch_namespace: 'team', ttl: '1h' }
    const { data } = (await created.secrets.post('orch/creds/app', body)).body
    expect(claimsOf(data.service_account_token)).toEqual({
      aud: ['https://orch.default.svc.cluster.local'],
      iss: 'https://orch.default.svc.cluster.local',
      sub: 'system:serviceaccount:team:app',
      iat: now,
      nbf: now,
      exp: now + 3600,
      'orch.io': {
        namespace: 'team',
        serviceaccount: { name: 'app', uid: expect.stringMatching(uuid) },
      },
    })
  })

  // choice/secrets#orch-account-uid
  test('an account keeps its uid, another has another', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const accountIn = async (orch_namespace: string) => {
      const { data } = (await created.secrets.post('orch/creds/app', { orch_namespace })).body
      const claims = claimsOf(data.service_account_token)['orch.io']
      return new Map(Object.entries(claims ?? {})).get('serviceaccount')
    }
    const first = await accountIn('a')
    expect(first).toEqual({ name: 'app', uid: expect.stringMatching(uuid) })
    expect(await accountIn('a')).toEqual(first)
    expect(await accountIn('b')).not.toEqual(first)
  })

  test('PUT works like POST; unknown parameters cause a warning', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const body = { orch_namespace: 'a', colour: 'red', role: 'x' }
    const reply = await created.secrets.put('orch/creds/App', body)
    expect([reply.status, reply.body.lease_id, reply.body.warnings]).toEqual([
      200,
      expect.stringMatching(/^orch\/creds\/App\//),
      [
        'Endpoint ignored these unrecognized parameters: [colour]',
        "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [role]",
      ],
    ])
  })
})

describe('behaviour/secrets#orch-objects', () => {
  const generated = /^v-root-app-1767225600-[0-9a-z]{24}$/
  const common = (labels: object = {}, annotations: object = {}) => ({
    name: expect.stringMatching(generated),
    uid: expect.stringMatching(uuid),
    labels: { ...labels, ...engineLabels },
    annotations,
    createdAt: '2026-01-01T00:00:00Z',
    lease: expect.stringMatching(/^orch\/creds\/app\/[0-9A-Za-z]{24}$/),
  })

  /** Requests credentials and returns the created objects, which must share one name. */
  async function objectsOf(fields: object, requested: object = {}) {
    const created = await serverWithOrch()
    await role(created, 'app', fields)
    const body = { orch_namespace: 'team', ...requested }
    const reply = await created.secrets.post('orch/creds/app', body)
    expect(reply.status).toBe(200)
    const { engines: _, ...objects } = orchestratorView(created.world)
    const { service_account_name: name, service_account_token: token } = reply.body.data
    for (const object of Object.values(objects).flat()) expect(object.name).toBe(name)
    expect(claimsOf(token)).toMatchObject({
      sub: `system:serviceaccount:team:${name}`,
      'orch.io': { serviceaccount: { name, uid: objects.serviceAccounts[0]?.uid } },
    })
    return { objects, name }
  }
  const none = { roles: [], clusterRoles: [], roleBindings: [], clusterRoleBindings: [] }

  test('mode 2 creates an account and a binding to the role', async () => {
    const { objects, name } = await objectsOf(modes.role)
    expect(objects).toEqual({
      ...none,
      serviceAccounts: [{ namespace: 'team', ...common() }],
      roleBindings: [
        {
          namespace: 'team',
          ...common(),
          roleRef: { kind: 'Role', name: 'reader' },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'team' }],
        },
      ],
    })
  })

  test('mode 3 also creates the role', async () => {
    const { objects, name } = await objectsOf(modes.rules)
    expect(objects).toEqual({
      ...none,
      serviceAccounts: [{ namespace: 'team', ...common() }],
      roles: [{ namespace: 'team', ...common(), rules: podRules }],
      roleBindings: [
        {
          namespace: 'team',
          ...common(),
          roleRef: { kind: 'Role', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'team' }],
        },
      ],
    })
  })

  test.each([
    ['mode 2', modes.role, 'reader', []],
    ['mode 3', modes.rules, undefined, [{ namespace: null, ...common(), rules: podRules }]],
  ] as const)('%s with a cluster role, bound in a namespace', async (_, mode, bound, roles) => {
    const { objects, name } = await objectsOf({ ...mode, orch_role_type: 'clusterrole' })
    expect(objects).toEqual({
      ...none,
      serviceAccounts: [{ namespace: 'team', ...common() }],
      clusterRoles: roles,
      roleBindings: [
        {
          namespace: 'team',
          ...common(),
          roleRef: { kind: 'ClusterRole', name: bound ?? name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'team' }],
        },
      ],
    })
  })

  test.each([
    ['mode 2', modes.role, 'reader', []],
    ['mode 3', modes.rules, undefined, [{ namespace: null, ...common(), rules: podRules }]],
  ] as const)('%s, cluster_role_binding: bound everywhere', async (_, mode, bound, roles) => {
    const fields = { ...mode, orch_role_type: 'ClusterRole' }
    const { objects, name } = await objectsOf(fields, { cluster_role_binding: true })
    expect(objects).toEqual({
      ...none,
      serviceAccounts: [{ namespace: 'team', ...common() }],
      clusterRoles: roles,
      clusterRoleBindings: [
        {
          namespace: null,
          ...common(),
          roleRef: { kind: 'ClusterRole', name: bound ?? name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'team' }],
        },
      ],
    })
  })

  test('extra labels and annotations are on all; the engine keeps its own labels', async () => {
    const { objects } = await objectsOf({
      ...modes.rules,
      extra_labels: { team: 'x', 'app.orch.io/managed-by': 'me' },
      extra_annotations: { note: 'y' },
    })
    const all = Object.values(objects).flat()
    expect(all.map(({ labels, annotations }) => ({ labels, annotations }))).toEqual(
      Array(3).fill({ labels: { team: 'x', ...engineLabels }, annotations: { note: 'y' } }),
    )
  })

  test('a name template of the role names them', async () => {
    const created = await serverWithOrch()
    const name_template = '{{ .DisplayName }}.{{ .RoleName | uppercase | lowercase }}'
    await role(created, 'app', { ...modes.role, name_template })
    const reply = await created.secrets.post('orch/creds/app', { orch_namespace: 'team' })
    expect(reply.body.data.service_account_name).toBe('root.app')
    const { serviceAccounts, roleBindings } = orchestratorView(created.world)
    expect([serviceAccounts, roleBindings].map(([object]) => object?.name)).toEqual([
      'root.app',
      'root.app',
    ])
  })

  test('the display name is that of the token', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.role)
    const body = { display_name: 'ada', policies: ['root'] }
    const { auth } = (await created.secrets.post('auth/token/create', body)).body
    const reply = await created
      .as(auth.client_token)
      .post('orch/creds/app', { orch_namespace: 'a' })
    expect(reply.body.data.service_account_name).toMatch(/^v-token-ad-app-1767225600-[0-9a-z]{24}$/)
  })
})

describe('behaviour/secrets#orch-creds: refusals of a request', () => {
  test('an unknown role is 400 and named in lower case', async () => {
    const { secrets } = await serverWithOrch()
    expect(statusAndBody(await secrets.post('orch/creds/Nobody', {}))).toEqual(
      error(400, "role 'nobody' does not exist"),
    )
  })

  test.each([{}, { orch_namespace: '' }, { orch_namespace: null }])(
    'no namespace: %j',
    async (body) => {
      const created = await serverWithOrch()
      await role(created, 'app', { ...modes.account, allowed_orch_namespaces: 'only' })
      expect(statusAndBody(await created.secrets.post('orch/creds/app', body))).toEqual(
        error(400, "'orch_namespace' is required"),
      )
    },
  )

  test('a namespace that the role does not allow', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.account, allowed_orch_namespaces: 'a,b' })
    for (const orch_namespace of ['c', 'A', 'ab', '*']) {
      expect(
        statusAndBody(await created.secrets.post('orch/creds/app', { orch_namespace })),
      ).toEqual(
        error(
          400,
          `orch_namespace '${orch_namespace}' is not present in role's allowed_orch_namespaces`,
        ),
      )
    }
    expect((await created.secrets.post('orch/creds/app', { orch_namespace: 'b' })).status).toBe(200)
  })

  test.each(Object.entries(modes))(
    'a cluster role binding for a Role, mode %s',
    async (_, mode) => {
      const created = await serverWithOrch()
      await role(created, 'app', mode)
      const body = { orch_namespace: 'a', cluster_role_binding: true }
      expect(statusAndBody(await created.secrets.post('orch/creds/app', body))).toEqual(
        error(400, 'a ClusterRoleBinding cannot ref a Role'),
      )
    },
  )

  test('without a configuration, requests are refused', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    await created.secrets.delete('orch/config')
    expect(
      statusAndBody(await created.secrets.post('orch/creds/app', { orch_namespace: 'a' })),
    ).toEqual(multierrorReply(400, 'could not load backend configuration'))
  })

  test.each([
    ['ttl', 'soon', 'time: invalid duration "soon"'],
    ['ttl', -5, "cannot provide negative value '-5'"],
  ])('%s %j does not convert', async (field, value, why) => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const body = { orch_namespace: 'a', [field]: value }
    expect(statusAndBody(await created.secrets.post('orch/creds/app', body))).toEqual(
      error(
        400,
        `Field validation failed: error converting input ${value} for field "${field}": ${why}`,
      ),
    )
  })

  // choice/secrets#orch-name-template-applied
  test('a template that cannot be applied', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.role, name_template: '{{ .Nothing }}' })
    expect(
      statusAndBody(await created.secrets.post('orch/creds/app', { orch_namespace: 'a' })),
    ).toEqual(
      multierrorReply(
        400,
        'failed to generate name: unable to apply template: template: template:1:3: executing "template" at <.Nothing>: can\'t evaluate field Nothing in type orch.nameMetadata',
      ),
    )
    expect(counts(created)).toEqual({})
  })
})

describe('behaviour/secrets#orch-creds', () => {
  const day = 86_400
  const roleCap = (requested: string, most: string) =>
    `ttl of ${requested} is greater than the role's token_max_ttl of ${most}; capping accordingly`
  const serviceCap = (requested: string, most: string) =>
    `ttl of ${requested} is greater than Service's max lease ttl ${most}; capping accordingly`
  const orchCap = (granted: string, requested: string) =>
    `the created Orchestrator service accout token TTL ${granted} is less than the Service lease TTL ${requested}; capping the lease TTL accordingly`

  test.each([
    ['the request', { token_default_ttl: '4h' }, '2h', 7200, null],
    ['the request in seconds', {}, 90, 90, null],
    ['the default of the role', { token_default_ttl: '4h' }, undefined, 14_400, null],
    ['zero asks for nothing', { token_default_ttl: '4h' }, 0, 14_400, null],
    ['the system', {}, undefined, month, null],
    ['capped by the role', { token_max_ttl: '24h' }, '48h', day, [roleCap('48h0m0s', '24h0m0s')]],
    [
      'the system, capped by the role',
      { token_max_ttl: '24h' },
      undefined,
      day,
      [roleCap('768h0m0s', '24h0m0s')],
    ],
    ['capped by the service', {}, '2764801', month, [serviceCap('768h0m1s', '768h0m0s')]],
    [
      'capped by both',
      { token_max_ttl: '1000h' },
      '2000h',
      month,
      [roleCap('2000h0m0s', '1000h0m0s'), serviceCap('1000h0m0s', '768h0m0s')],
    ],
  ])('%s', async (_, fields, ttl, granted, warnings) => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.account, ...fields })
    const body = { orch_namespace: 'a', ...(ttl === undefined ? {} : { ttl }) }
    const reply = (await created.secrets.post('orch/creds/app', body)).body
    expect([reply.lease_duration, reply.warnings]).toEqual([granted, warnings])
    const { exp, iat } = claimsOf(reply.data.service_account_token)
    expect([iat, exp]).toEqual([now, now + granted])
  })

  // choice/secrets#orch-limits
  test('the lease is shortened to the lifetime that the orchestrator grants', async () => {
    const created = await serverWithOrch({ secrets: { orchMaxTtl: '1h' } })
    await role(created, 'app', { ...modes.account, token_max_ttl: '2h' })
    const ask = async (ttl: string) => {
      const body = { orch_namespace: 'a', ttl }
      const reply = (await created.secrets.post('orch/creds/app', body)).body
      const { exp } = claimsOf(reply.data.service_account_token)
      return [reply.lease_duration, exp, reply.warnings]
    }
    expect(await ask('3h')).toEqual([
      3600,
      now + 3600,
      [roleCap('3h0m0s', '2h0m0s'), orchCap('1h0m0s', '2h0m0s')],
    ])
    expect(await ask('1h')).toEqual([3600, now + 3600, null])
  })

  test("a mount's own TTLs hold", async () => {
    const created = await serverWithOrch()
    await created.secrets.post('sys/mounts/orch/tune', {
      default_lease_ttl: '30m',
      max_lease_ttl: '1h',
    })
    await role(created, 'app', modes.account)
    const ask = async (body: object) => {
      const reply = await created.secrets.post('orch/creds/app', { orch_namespace: 'a', ...body })
      return [reply.body.lease_duration, reply.body.warnings]
    }
    expect(await ask({})).toEqual([1800, null])
    expect(await ask({ ttl: '2h' })).toEqual([3600, [serviceCap('2h0m0s', '1h0m0s')]])
  })
})

describe('behaviour/secrets#orch: failures of the orchestrator', () => {
  const url = 'https://orch:6443/api/v1/namespaces/a/serviceaccounts/app/token'
  const reasons: Readonly<Record<string, readonly [Partial<SecretsOptions>, string]>> = {
    unreachable: [
      { orchFault: 'unreachable' },
      `Post "${url}": dial tcp orch:6443: connect: connection refused`,
    ],
    slow: [
      { orchFault: 'slow' },
      `Post "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    ],
    refused: [
      { orchFault: 'refused' },
      'serviceaccounts "app" is forbidden: User "system:serviceaccount:default:default" cannot create resource "serviceaccounts/token" in API group "" in the namespace "a"',
    ],
    'a missing account': [
      { orchMissingAccounts: ['b/app', 'a/app'] },
      'serviceaccounts "app" not found',
    ],
    'a short TTL': [
      { orchMinTtl: '10m' },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    'another minimum': [
      { orchMinTtl: '601s' },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 601 seconds',
    ],
  }

  // choice/secrets#orch-faults choice/secrets#orch-limits
  test.each(Object.entries(reasons))('%s: 502', async (_, [options, reason]) => {
    const created = await serverWithOrch({ secrets: options })
    await role(created, 'app', modes.account)
    const body = { orch_namespace: 'a', ttl: 599 }
    expect(statusAndBody(await created.secrets.post('orch/creds/app', body))).toEqual(
      multierrorReply(502, `failed to create a service account token for a/app: ${reason}`),
    )
    expect(statusAndBody(await created.secrets.list('sys/leases/lookup/orch/creds/app'))).toEqual(
      error(404),
    )
    created.world.changeOptions({
      secrets: { orchFault: 'none', orchMissingAccounts: [], orchMinTtl: '0s' },
    })
    expect((await created.secrets.post('orch/creds/app', body)).status).toBe(200)
  })

  // choice/secrets#orch-faults choice/secrets#orch-failure-text
  test.each(['unreachable', 'slow', 'refused'] as const)(
    '%s: a fault leaves nothing behind, and no time passes',
    async (orchFault) => {
      const created = await serverWithOrch({ secrets: { orchFault } })
      const before = created.clock.now()
      for (const [name, mode] of Object.entries(modes)) {
        await role(created, name, mode)
        const reply = await created.secrets.post(`orch/creds/${name}`, { orch_namespace: 'a' })
        expect([reply.status, reply.body.errors]).toEqual([
          502,
          [
            expect.stringMatching(
              /^1 error occurred:\n\t\* failed to create a service account token for a\//,
            ),
          ],
        ])
      }
      expect(counts(created)).toEqual({})
      expect(created.clock.now()).toBe(before)
    },
  )

  test.each([
    ['http://orch', 'orch:80'],
    ['https://orch/path', 'orch:443'],
    ['orch', 'orch'],
  ])('the address of %s is %s', async (orch_host, address) => {
    const created = await serverWithOrch({ secrets: { orchFault: 'unreachable' } })
    await created.secrets.post('orch/config', { orch_host })
    await role(created, 'app', modes.account)
    const reply = await created.secrets.post('orch/creds/app', { orch_namespace: 'a' })
    expect(reply.body.errors[0]).toContain(`dial tcp ${address}: connect: connection refused`)
  })

  // choice/secrets#orch-limits
  test('the shortest token that it issues is issued', async () => {
    const created = await serverWithOrch({ secrets: { orchMinTtl: '10m' } })
    await role(created, 'app', modes.account)
    const body = { orch_namespace: 'a', ttl: 600 }
    expect((await created.secrets.post('orch/creds/app', body)).status).toBe(200)
  })

  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

  // choice/secrets#orch-names
  test.each([
    ['Upper', subdomain],
    ['a_b', subdomain],
    ['', subdomain],
    ['a/b', subdomain],
    ['x'.repeat(254), 'must be no more than 253 characters'],
  ])('an account cannot be called %j', async (name, why) => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.rules, name_template: `{{ "${name}" }}` })
    expect(
      statusAndBody(await created.secrets.post('orch/creds/app', { orch_namespace: 'a' })),
    ).toEqual(
      multierrorReply(
        502,
        `failed to create a service account token for a/${name}: ServiceAccount "${name}" is invalid: metadata.name: Invalid value: "${name}": ${why}`,
      ),
    )
    expect(counts(created)).toEqual({})
  })

  // choice/secrets#orch-names
  test('a namespace that cannot exist does not', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', { ...modes.role, name_template: 'x' })
    await role(created, 'old', modes.account)
    const ask = async (name: string) =>
      statusAndBody(await created.secrets.post(`orch/creds/${name}`, { orch_namespace: 'a/b' }))
    const failed = 'failed to create a service account token for a/b'
    expect(await ask('app')).toEqual(
      multierrorReply(502, `${failed}/x: namespaces "a/b" not found`),
    )
    expect(await ask('old')).toEqual(
      multierrorReply(502, `${failed}/app: serviceaccounts "app" not found`),
    )
  })

  // choice/secrets#orch-one-orchestrator
  test('a name that any mount has used is taken', async () => {
    const created = await serverWithOrch()
    await created.secrets.post('sys/mounts/other', { type: 'orch' })
    await created.secrets.post('other/config', { orch_host: 'https://b' })
    const fixed = { ...modes.role, name_template: 'fixed' }
    await role(created, 'app', fixed)
    await role(created, 'app', fixed, 'other')
    const first = await created.secrets.post('orch/creds/app', { orch_namespace: 'a' })
    expect(
      statusAndBody(await created.secrets.post('other/creds/app', { orch_namespace: 'a' })),
    ).toEqual(
      multierrorReply(
        502,
        'failed to create a service account token for a/fixed: rolebindings.rbac.authorization "fixed" already exists',
      ),
    )
    expect((await created.secrets.post('other/creds/app', { orch_namespace: 'b' })).status).toBe(
      200,
    )
    const { lease_id } = first.body
    expect(statusAndBody(await created.secrets.put('sys/leases/revoke', { lease_id }))).toEqual(
      noContent,
    )
    expect((await created.secrets.post('other/creds/app', { orch_namespace: 'a' })).status).toBe(
      200,
    )
  })
})
