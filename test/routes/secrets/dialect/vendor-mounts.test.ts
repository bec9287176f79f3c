import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../../routes/control/state/documents.ts'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { servedSecrets, type TestSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

/** Returns types and accessor prefixes of mounts by path. */
async function typesOf({ secrets }: TestSecrets, path: string): Promise<object> {
  const { data } = (await secrets.get(path)).body
  return typesIn(data)
}

function typesIn(mounts: Record<string, { type: string; accessor: string }>): object {
  return Object.fromEntries(
    Object.entries(mounts).map(([path, { type, accessor }]) => [
      path,
      `${type} ${accessor.replace(/[0-9a-f]{8}$/, '#')}`,
    ]),
  )
}

const orchNames: Record<DialectName, string> = { neutral: 'orch', vendor: 'kubernetes' }
const cloudNames: Record<DialectName, string> = { neutral: 'cloud', vendor: 'oci' }
const dialects = ['neutral', 'vendor'] as const

describe('behaviour/secrets#vendor-names: types of mounts and where a fresh world has them', () => {
  // choice/secrets#vendor-mount-paths
  test.each(dialects)('%s', async (dialect) => {
    const server = await servedSecrets({ dialect })
    const [orch, cloud] = [orchNames[dialect], cloudNames[dialect]]
    const engines = {
      'cubbyhole/': 'cubbyhole cubbyhole_#',
      'identity/': 'identity identity_#',
      'kv/': 'kv kv_#',
      [`${orch}/`]: `${orch} ${orch}_#`,
      'secret/': 'kv kv_#',
      'sys/': 'system system_#',
    }
    const methods = {
      [`${cloud}/`]: `${cloud} auth_${cloud}_#`,
      'token/': 'token auth_token_#',
    }
    expect(await typesOf(server, 'sys/mounts')).toEqual(engines)
    expect(await typesOf(server, 'sys/auth')).toEqual(methods)
    const { data } = (await server.secrets.get('sys/internal/ui/mounts')).body
    expect([typesIn(data.secret), typesIn(data.auth)]).toEqual([engines, methods])
    for (const [path, type] of [
      [`sys/mounts/${orch}`, orch],
      [`sys/auth/${cloud}`, cloud],
      [`sys/internal/ui/mounts/${orch}/config`, orch],
      [`sys/internal/ui/mounts/auth/${cloud}`, cloud],
    ]) {
      const { body } = await server.secrets.get(path ?? '')
      expect([path, body.data.type]).toEqual([path, type])
      expect(body.data.accessor).toMatch(new RegExp(`^(auth_)?${type}_[0-9a-f]{8}$`))
      if (path?.startsWith('sys/mounts') || path?.startsWith('sys/auth')) {
        expect([body.type, body.accessor]).toEqual([type, body.data.accessor])
      }
    }
  })

  test('the accessor finds the same mount in both dialects', async () => {
    const [neutral, vendor] = [await servedSecrets(), await servedSecrets({ dialect: 'vendor' })]
    const ours = (await neutral.secrets.get('sys/auth/cloud')).body.data
    const theirs = (await vendor.secrets.get('sys/auth/oci')).body.data
    expect(theirs).toEqual({
      ...ours,
      type: 'oci',
      accessor: ours.accessor.replace('cloud', 'oci'),
      running_plugin_version: `${ours.running_plugin_version}.vault`,
    })
  })

  test.each(dialects)('%s takes either name of a type', async (dialect) => {
    const server = await servedSecrets({ dialect })
    const { secrets } = server
    for (const type of ['orch', 'kubernetes']) {
      expect(statusAndBody(await secrets.post(`sys/mounts/${type}-x`, { type }))).toEqual(noContent)
      const { data } = (await secrets.get(`sys/mounts/${type}-x`)).body
      expect(data.type).toBe(orchNames[dialect])
    }
    for (const type of ['cloud', 'oci']) {
      expect(statusAndBody(await secrets.post(`sys/auth/${type}-x`, { type }))).toEqual(noContent)
      const { data } = (await secrets.get(`sys/auth/${type}-x`)).body
      expect(data.type).toBe(cloudNames[dialect])
      const config = { home_tenancy_id: 'h' }
      expect((await secrets.post(`auth/${type}-x/config`, config)).status).toBe(200)
    }
  })

  test.each(dialects)('%s: a mount keeps its type when it moves', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const from = `auth/${cloudNames[dialect]}`
    expect((await secrets.post('sys/remount', { from, to: 'auth/moved' })).status).toBe(200)
    expect((await secrets.get('sys/auth/moved')).body.data.type).toBe(cloudNames[dialect])
  })

  test.each(dialects)('%s: fixtures take either name of a type', async (dialect) => {
    const mounts = {
      a: { type: 'orch' },
      b: { type: 'kubernetes' },
      'auth/a': { type: 'cloud' },
      'auth/b': { type: 'oci' },
    }
    const document = checkDocument([secretsService], { secrets: { mounts } })
    const { secrets } = await servedSecrets({ dialect, document })
    const types = Object.keys(mounts).map(async (path) => {
      const at = path.startsWith('auth/') ? `sys/${path}` : `sys/mounts/${path}`
      return (await secrets.get(at)).body.data.type
    })
    const [orch, cloud] = [orchNames[dialect], cloudNames[dialect]]
    expect(await Promise.all(types)).toEqual([orch, orch, cloud, cloud])
  })

  test.each(dialects)('%s: a mount of any type can be tuned to a version', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const options = { version: '1' }
    const at = `sys/mounts/${orchNames[dialect]}`
    await secrets.post(at, { type: orchNames[dialect] })
    const tuned = await secrets.post(`${at}/tune`, { options })
    expect([tuned.status, tuned.body.warnings]).toEqual([
      200,
      [expect.stringContaining('Upgrading mount from version 0 to version 1.')],
    ])
    expect((await secrets.get(at)).body.data.options).toEqual(options)
  })

  test.each(dialects)('%s: texts name the types as the dialect does', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const [orch, cloud] = [orchNames[dialect], cloudNames[dialect]]
    const options = { version: '2' }
    for (const type of ['orch', 'kubernetes']) {
      expect(statusAndBody(await secrets.post('sys/auth/x', { type, options }))).toEqual(
        error(400, `auth method "${orch}" does not allow setting a version`),
      )
      expect(statusAndBody(await secrets.post('sys/mounts/x', { type, options }))).toEqual(
        error(400, `secrets engine "${orch}" does not allow setting a version`),
      )
    }
    for (const type of ['cloud', 'oci']) {
      expect(statusAndBody(await secrets.post('sys/mounts/x', { type }))).toEqual(
        error(400, `plugin not found in the catalog: ${cloud}`),
      )
      expect(statusAndBody(await secrets.post('sys/auth/x', { type, options }))).toEqual(
        error(400, `auth method "${cloud}" does not allow setting a version`),
      )
    }
    expect(statusAndBody(await secrets.post('sys/mounts/x', { type: 'orchid' }))).toEqual(
      error(400, 'plugin not found in the catalog: orchid'),
    )
    expect(statusAndBody(await secrets.post(`sys/auth/${cloud}`, { type: cloud }))).toEqual(
      error(400, `path is already in use at ${cloud}/`),
    )
  })

  test('names of other things stay: a mount at the path of a type', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    await secrets.post('sys/mounts/orch', { type: 'kv' })
    expect(statusAndBody(await secrets.post('sys/mounts/orch', { type: 'kv' }))).toEqual(
      error(400, 'path is already in use at orch/'),
    )
    expect((await secrets.get('cloud/a')).body.errors).toEqual([
      'no handler for route "cloud/a". route entry not found.',
    ])
  })

  // choice/secrets#vendor-mount-paths
  test('options choose the mount paths of a fresh world', async () => {
    const places = { orchPath: 'team/orch/', cloudPath: 'auth/team/cloud/' }
    const { secrets } = await servedSecrets({ dialect: 'vendor', secrets: places })
    expect((await secrets.get('sys/mounts/team/orch')).body.data.type).toBe('kubernetes')
    expect((await secrets.get('sys/auth/team/cloud')).body.data.type).toBe('oci')
    expect((await secrets.get('auth/oci/config')).status).toBe(404)
  })
})

describe('behaviour/secrets#vendor-names: help and OpenAPI name fields and mounts', () => {
  test.each(dialects)('%s: help on a path', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const cloud = cloudNames[dialect]
    const field = dialect === 'vendor' ? 'ocid_list' : 'cid_list'
    const { help } = (await secrets.get(`auth/${cloud}/role/dev`, { query: { help: '1' } })).body
    expect(help).toContain(`    ${field} (list of strings)\n`)
    expect(help).not.toContain(dialect === 'vendor' ? ' cid_list' : 'ocid_list')
  })

  test.each(dialects)('%s: help on mounts', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const cloud = cloudNames[dialect]
    const { help } = (await secrets.get('auth', { query: { help: '1' } })).body
    expect(help).toContain(`    auth/${cloud}/\n        ${cloud}\n`)
    const inside = (await secrets.get(`auth/${cloud}`, { query: { help: '1' } })).body
    expect(inside.help).toContain(`Engine of the type ${cloud}.`)
    expect(Object.keys(inside.openapi.paths)).toEqual([
      '/config',
      '/role',
      '/role/{name}',
      '/login/{role}',
    ])
  })

  test.each(dialects)('%s: bodies and replies', async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const cloud = cloudNames[dialect]
    const field = dialect === 'vendor' ? 'ocid_list' : 'cid_list'
    const title = dialect === 'vendor' ? 'AuthOci' : 'AuthCloud'
    const document = (await secrets.get('sys/internal/specs/openapi')).body
    const path = document.paths[`/auth/${cloud}/role/{name}`]
    expect(path.post.operationId).toBe(`auth-${cloud}-write-role-name`)
    const { schemas } = document.components
    expect(Object.keys(schemas[`${title}WriteRoleNameRequest`].properties)[0]).toBe(field)
    const { data } = schemas[`${title}ReadRoleNameResponse`].properties
    expect([Object.keys(data.properties)[0], data.required[0]]).toEqual([field, field])
    expect(JSON.stringify(document)).not.toContain(
      dialect === 'vendor' ? '"cid_list"' : '"ocid_list"',
    )
  })
})
