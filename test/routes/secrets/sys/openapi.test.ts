import { describe, expect, test } from 'vitest'
import { secretsEngines } from '../../../../routes/secrets/engines.ts'
import { validationErrors } from '../../../support/openapi/openapi.ts'
import { everyEngine, servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { error, statusAndBody } from '../replies.ts'

const path = 'sys/internal/specs/openapi'

/** Returns the mounts in the paths of a document. */
function mountsIn(body: { readonly paths: object }): string[] {
  const firsts = Object.keys(body.paths).map((each) => /^\/(auth\/)?[^/]+\//.exec(each)?.[0] ?? '')
  return [...new Set(firsts)]
}

describe('the document of the whole service, as the reference server has it', () => {
  // choice/secrets#openapi-service
  test('is valid and has every path of every mount', async () => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    const { status, body } = await secrets.get(path)
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['openapi', 'info', 'security', 'paths', 'components'],
    ])
    expect(await validationErrors(body)).toEqual([])
    const patterns = secretsEngines.map(
      ({ operations }) => new Set(operations.map(({ path }) => path)),
    )
    const count = patterns.reduce((sum, { size }) => sum + size, 0)
    expect(Object.keys(body.paths).length).toBe(count)
    expect(body.paths['/secret/data/{path}'].get.operationId).toBe('secret-read-data-path')
    expect(body.paths['/auth/token/create'].post.tags).toEqual(['auth'])
    expect(body.paths['/sys/health'].get.tags).toEqual(['system'])
  })

  test('is the same as that in the help on the root of the API', async () => {
    const { secrets } = await servedSecrets()
    const help = await secrets.get('', { query: { help: '1' } })
    expect(help.body.openapi).toEqual((await secrets.get(path)).body)
  })

  test('has new mounts at their paths, and those that were moved away no longer', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/team/apps', { type: 'kv-v2' })
    await secrets.delete('sys/mounts/kv')
    const { body } = await secrets.get(path)
    expect(Object.keys(body.paths)).toContain('/team/apps/data/{path}')
    expect(mountsIn(body)).not.toContain('/kv/')
    expect(await validationErrors(body)).toEqual([])
  })

  // choice/secrets#openapi-service
  test('has the operations that the caller may use, and no other mounts', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post('sys/policies/acl/reader', {
      policy: 'path "secret/data/*" { capabilities = ["read"] }',
    })
    const created = await secrets.post('auth/token/create', {
      policies: ['reader'],
      no_default_policy: true,
    })
    const { status, body } = await as(created.body.auth.client_token).get(path)
    expect([status, mountsIn(body)]).toEqual([200, ['/secret/']])
  })

  // choice/secrets#openapi-service
  test('needs a token', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(path, { token: null }))).toEqual(
      error(403, 'permission denied'),
    )
    expect(statusAndBody(await secrets.post(path, {}, { token: 'wrong' }))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test('is that of the namespace, without the paths of the root alone', async () => {
    const { world, secrets } = await servedSecrets()
    addNamespace(world, 'team/')
    const { body } = await secrets.get(`team/${path}`)
    const paths = Object.keys(body.paths)
    expect([paths.includes('/sys/init'), paths.includes('/sys/mounts')]).toEqual([false, true])
    expect(await validationErrors(body)).toEqual([])
  })
})

describe('generic_mount_paths', () => {
  // choice/secrets#openapi-service
  test.each(['query', 'body'])('by %s: parameters for the paths of mounts', async (where) => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/my-team/apps', { type: 'kv-v2' })
    const values = { generic_mount_paths: 'true' }
    const { status, body } =
      where === 'query'
        ? await secrets.get(path, { query: values })
        : await secrets.post(path, values)
    expect(status).toBe(200)
    expect(body.paths['/{my_team_apps_mount_path}/config'].parameters).toEqual([
      {
        name: 'my_team_apps_mount_path',
        in: 'path',
        required: true,
        description: 'Path of the mount',
        schema: { type: 'string', default: 'my-team/apps' },
      },
    ])
    const paths = Object.keys(body.paths)
    for (const fixed of ['/sys/health', '/auth/token/create', '/cubbyhole/{path}']) {
      expect(paths).toContain(fixed)
    }
    expect(paths).toContain('/{secret_mount_path}/data/{path}')
    expect(paths.filter((each) => each.startsWith('/secret/'))).toEqual([])
  })

  test('a value that is not a boolean is refused', async () => {
    const { secrets } = await servedSecrets()
    expect(
      statusAndBody(await secrets.get(path, { query: { generic_mount_paths: 'perhaps' } })),
    ).toEqual(
      error(
        400,
        'Field validation failed: error converting input perhaps for field "generic_mount_paths": cannot parse \'\' as bool: strconv.ParseBool: parsing "perhaps": invalid syntax',
      ),
    )
  })
})
