import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { modes, yamlRules } from './orch.ts'

const plain = { allowed_orch_namespaces: ['app'], service_account_name: 'app' }

/** Data in the reply to reading the role `web`, written as `plain`. */
const read = {
  additional_metadata: {},
  allowed_orch_namespaces: ['app'],
  generated_role_rules: '',
  name: 'web',
  name_template: '',
  orch_role_name: '',
  orch_role_type: 'Role',
  service_account_name: 'app',
  token_default_ttl: 0,
  token_max_ttl: 0,
}

const badSelector =
  "failed to parse 'allowed_orch_namespace_selector' as orch.io/api/meta/v1/LabelSelector object"
const badRules = "failed to parse 'generated_role_rules' as orch.io/api/rbac/v1/Policy object"
const singleModeError =
  'one (and only one) of service_account_name, orch_role_name or generated_role_rules must be set'

describe('behaviour/secrets#api-orch: fields', () => {
  test('a minimal role has defaults', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('orch/roles/web', plain))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('orch/roles/web'))).toEqual(ok({ data: read }))
  })

  test('every field comes back', async () => {
    const { secrets } = await servedSecrets()
    const name_template = '{{ .RoleName }}-{{ random 5 | lowercase }}'
    await secrets.post('orch/roles/web', {
      allowed_orch_namespaces: ['*'],
      token_max_ttl: '24h',
      token_default_ttl: 3600,
      generated_role_rules: yamlRules,
      orch_role_type: 'ClusterRole',
      name_template,
      extra_annotations: { note: 'a' },
      extra_labels: { team: 'b' },
    })
    expect((await secrets.get('orch/roles/web')).body.data).toEqual({
      ...read,
      additional_metadata: { labels: { team: 'b' }, annotations: { note: 'a' } },
      allowed_orch_namespaces: ['*'],
      generated_role_rules: yamlRules,
      name_template,
      orch_role_type: 'ClusterRole',
      service_account_name: '',
      token_default_ttl: 3600,
      token_max_ttl: 86_400,
    })
  })

  test.each([
    ['a comma string', 'B, a,A, b', ['a', 'b']],
    ['a list', ['b', 'B', 'a'], ['a', 'b']],
    ['one name', 'App', ['app']],
    ['all', '*', ['*']],
  ])('allowed_orch_namespaces as %s: lower case, each once', async (_, input, kept) => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', { ...plain, allowed_orch_namespaces: input })
    expect((await secrets.get('orch/roles/web')).body.data.allowed_orch_namespaces).toEqual(kept)
  })

  test.each([
    ['seconds', 90, 90],
    ['seconds as text', '90', 90],
    ['a duration', '1h30m', 5400],
    ['days', '2d', 172_800],
    ['none', 0, 0],
    ['an empty text', '', 0],
  ])('TTLs as %s', async (_, input, kept) => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', {
      ...plain,
      token_max_ttl: input,
      token_default_ttl: input,
    })
    const { data } = (await secrets.get('orch/roles/web')).body
    expect([data.token_default_ttl, data.token_max_ttl]).toEqual([kept, kept])
  })

  test.each([
    ['role', 'Role'],
    ['RolE', 'Role'],
    ['', 'Role'],
    ['clusterrole', 'ClusterRole'],
    ['ClusterRole', 'ClusterRole'],
  ])('orch_role_type %j is %s', async (input, kept) => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', { ...plain, orch_role_type: input })
    expect((await secrets.get('orch/roles/web')).body.data.orch_role_type).toBe(kept)
  })

  test('extra_labels may be texts of the form k=v', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', { ...plain, extra_labels: ['a=1', 'b=2'] })
    expect((await secrets.get('orch/roles/web')).body.data.additional_metadata).toEqual({
      labels: { a: '1', b: '2' },
    })
  })
})

describe('behaviour/secrets#orch-roles: partial writes', () => {
  test('missing fields keep their values, given ones replace them', async () => {
    const { secrets } = await servedSecrets()
    const first = { ...plain, token_max_ttl: '2h', extra_labels: { a: '1' } }
    await secrets.post('orch/roles/web', first)
    expect(statusAndBody(await secrets.put('orch/roles/web', { token_default_ttl: '1h' }))).toEqual(
      noContent,
    )
    expect((await secrets.get('orch/roles/web')).body.data).toEqual({
      ...read,
      additional_metadata: { labels: { a: '1' } },
      token_default_ttl: 3600,
      token_max_ttl: 7200,
    })
  })

  test('a change of mode clears the old one in the same write', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', plain)
    expect(statusAndBody(await secrets.post('orch/roles/web', modes.role))).toEqual(
      error(400, singleModeError),
    )
    const changed = { service_account_name: '', ...modes.role }
    expect(statusAndBody(await secrets.post('orch/roles/web', changed))).toEqual(noContent)
    expect((await secrets.get('orch/roles/web')).body.data).toEqual({
      ...read,
      service_account_name: '',
      orch_role_name: 'reader',
    })
  })

  test('checks are about the merged role', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/web', { ...plain, token_max_ttl: '1h' })
    expect(
      statusAndBody(await secrets.post('orch/roles/web', { token_default_ttl: '2h' })),
    ).toEqual(error(400, 'token_default_ttl 2h0m0s cannot be greater than token_max_ttl 1h0m0s'))
    expect((await secrets.get('orch/roles/web')).body.data.token_default_ttl).toBe(0)
  })
})

describe('behaviour/secrets#api-orch: exactly one of three', () => {
  test.each(Object.entries(modes))('mode %s alone is taken', async (_, mode) => {
    const { secrets } = await servedSecrets()
    const body = { allowed_orch_namespaces: '*', ...mode }
    expect(statusAndBody(await secrets.post('orch/roles/web', body))).toEqual(noContent)
  })

  test.each([
    ['none', {}],
    ['account and role', { ...modes.account, ...modes.role }],
    ['account and rules', { ...modes.account, ...modes.rules }],
    ['role and rules', { ...modes.role, ...modes.rules }],
    ['all', { ...modes.account, ...modes.role, ...modes.rules }],
  ])('a role with %s of the modes is refused', async (_, provided) => {
    const { secrets } = await servedSecrets()
    const body = { allowed_orch_namespaces: '*', ...provided }
    expect(statusAndBody(await secrets.post('orch/roles/web', body))).toEqual(
      error(400, singleModeError),
    )
    expect(statusAndBody(await secrets.get('orch/roles/web'))).toEqual(error(404))
  })
})

describe('behaviour/secrets#orch-roles: refusals in their order', () => {
  /** Bodies with one error each, in the order of the checks: each also has all later errors. */
  const faults = [
    [{}, 'allowed_orch_namespaces must be set'],
    [{ allowed_orch_namespaces: ' , ' }, 'allowed_orch_namespaces must be set'],
    [{ allowed_orch_namespace_selector: '[' }, singleModeError],
    [
      { generated_role_rules: '[' },
      'token_default_ttl 2m0s cannot be greater than token_max_ttl 1m0s',
    ],
    [{ token_max_ttl: '2m' }, "orch_role_type must be either 'Role' or 'ClusterRole'"],
    [{ orch_role_type: 'Role' }, badSelector],
    [{ allowed_orch_namespace_selector: '{}' }, badRules],
    [
      { generated_role_rules: yamlRules },
      'unable to initialize name template: unable to parse template: template: template:1: unclosed action',
    ],
  ] as const

  test('of two mistakes the one that is checked first is reported', async () => {
    const { secrets } = await servedSecrets()
    const everythingInvalid = {
      token_default_ttl: 120,
      token_max_ttl: 60,
      orch_role_type: 'Group',
      name_template: '{{.String',
    }
    let body: object = everythingInvalid
    for (const [repair, text] of faults) {
      body = { ...body, ...repair }
      expect(statusAndBody(await secrets.post('orch/roles/web', body))).toEqual(error(400, text))
    }
    const right = { ...body, name_template: '' }
    expect(statusAndBody(await secrets.post('orch/roles/web', right))).toEqual(noContent)
  })

  test('a field that does not convert is found by the existence check', async () => {
    const { secrets } = await servedSecrets()
    expect(
      statusAndBody(await secrets.post('orch/roles/web', { ...plain, token_max_ttl: -1 })),
    ).toEqual(
      error(
        400,
        `error converting input -1 for field "token_max_ttl": cannot provide negative value '-1'`,
      ),
    )
  })
})

describe('behaviour/secrets#orch-roles: additional_metadata', () => {
  const metadata = async (body: object) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('orch/roles/web', { ...plain, ...body })
    if (reply.status !== 204) return statusAndBody(reply)
    return (await secrets.get('orch/roles/web')).body.data.additional_metadata
  }

  test('is taken as early releases took it', async () => {
    const both = { labels: { a: '1' }, annotations: { b: '2' } }
    expect(await metadata({ additional_metadata: both })).toEqual(both)
  })

  // choice/secrets#orch-metadata-input
  test('the fields of later releases win, empty parts are left out', async () => {
    const provided = { labels: { a: '1' }, annotations: {} }
    expect(await metadata({ additional_metadata: provided, extra_labels: { c: '3' } })).toEqual({
      labels: { c: '3' },
    })
    expect(await metadata({ additional_metadata: { labels: null } })).toEqual({})
  })

  // choice/secrets#orch-metadata-input
  test.each([
    [{ notes: { a: 'b' } }],
    [{ labels: 'a' }],
    [{ labels: { a: ['one'] } }],
    [{ annotations: { a: 1 } }],
  ])('%j is refused', async (additional_metadata) => {
    expect(await metadata({ additional_metadata })).toEqual(
      error(
        400,
        "additional_metadata should be a nested map, with only 'labels' and 'annotations' as the top level keys",
      ),
    )
  })
})

describe('behaviour/secrets#api-orch: roles', () => {
  test('names are in lower case, and any case finds them', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('orch/roles/Web', plain)
    expect(statusAndBody(await secrets.get('orch/roles/WEB'))).toEqual(ok({ data: read }))
    expect(statusAndBody(await secrets.delete('orch/roles/wEb'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('orch/roles/web'))).toEqual(error(404))
  })

  test('list, sorted; an empty one is 404; deleting an absent role is fine', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list('orch/roles'))).toEqual(error(404))
    for (const name of ['web-b', 'web.a', 'api']) await secrets.post(`orch/roles/${name}`, plain)
    expect(statusAndBody(await secrets.list('orch/roles'))).toEqual(
      ok({ data: { keys: ['api', 'web-b', 'web.a'] } }),
    )
    expect(statusAndBody(await secrets.delete('orch/roles/web-b'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('orch/roles/web-b'))).toEqual(noContent)
    expect(statusAndBody(await secrets.list('orch/roles'))).toEqual(
      ok({ data: { keys: ['api', 'web.a'] } }),
    )
  })

  test.each(['web.', 'a/b', '-a', 'a b'])('the name %j is an unsupported path', async (name) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(`orch/roles/${encodeURIComponent(name)}`))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })

  test.each([
    ['GET', 'orch/roles'],
    ['PATCH', 'orch/roles/web'],
    ['GET', 'orch/creds/web'],
    ['DELETE', 'orch/creds/web'],
    ['POST', 'orch/check'],
  ])('%s %s is not offered', async (method, path) => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect(statusAndBody(await secrets.request({ method, path, payload: '{}', headers }))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
  })

  test('mounts know nothing of each other, and take their roles along', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/other', { type: 'orch' })
    await secrets.post('orch/roles/web', plain)
    expect(statusAndBody(await secrets.get('other/roles/web'))).toEqual(error(404))
    await secrets.post('sys/remount', { from: 'orch', to: 'moved' })
    expect(statusAndBody(await secrets.get('moved/roles/web'))).toEqual(ok({ data: read }))
    await secrets.delete('sys/mounts/moved')
    await secrets.post('sys/mounts/moved', { type: 'orch' })
    expect(statusAndBody(await secrets.get('moved/roles/web'))).toEqual(error(404))
  })
})

describe('behaviour/secrets#policies: create or update by existence check', () => {
  async function as(capabilities: string) {
    const created = await servedSecrets()
    await created.secrets.post('orch/config', { orch_host: 'https://a' })
    await created.secrets.post('orch/roles/old', plain)
    await created.secrets.post('sys/policies/acl/p', {
      policy: `path "orch/*" { capabilities = ["${capabilities}"] }`,
    })
    const body = { policies: ['p'], no_default_policy: true }
    const { auth } = (await created.secrets.post('auth/token/create', body)).body
    return created.as(auth.client_token)
  }
  const denied = multierrorReply(403, 'permission denied')

  test('roles have one, configuration and credentials do not', async () => {
    const creator = await as('create')
    expect(statusAndBody(await creator.post('orch/roles/new', plain))).toEqual(noContent)
    expect(statusAndBody(await creator.post('orch/roles/OLD', plain))).toEqual(denied)
    expect(statusAndBody(await creator.post('orch/config', { orch_host: 'https://b' }))).toEqual(
      denied,
    )
    expect(statusAndBody(await creator.post('orch/creds/old', { orch_namespace: 'app' }))).toEqual(
      denied,
    )
    const updater = await as('update')
    expect(statusAndBody(await updater.post('orch/roles/new', plain))).toEqual(denied)
    expect(statusAndBody(await updater.post('orch/roles/old', plain))).toEqual(noContent)
    expect(statusAndBody(await updater.post('orch/config', { orch_host: 'https://b' }))).toEqual(
      noContent,
    )
    const { status } = await updater.post('orch/creds/old', { orch_namespace: 'app' })
    expect(status).toBe(200)
  })
})
