import { describe, expect, test } from 'vitest'
import { upgradeToVersion2 } from '../../../../state/secrets/kv/v2-upgrade.ts'
import { mountOf } from '../../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { envelope, noContent, refusedReply, statusAndBody } from './kv-replies.ts'

describe('behaviour/secrets#api-kv2', () => {
  test('an engine has the defaults at first', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.get('secret/config'))).toEqual({
      status: 200,
      body: envelope({
        data: { cas_required: false, delete_version_after: '0s', max_versions: 0 },
      }),
    })
  })

  test('POST and PUT change only the given settings', async () => {
    const { secrets } = await servedSecrets()
    const settings = async () => (await secrets.get('secret/config')).body.data

    expect(
      statusAndBody(
        await secrets.post('secret/config', { max_versions: 5, delete_version_after: '3h25m19s' }),
      ),
    ).toEqual(noContent)
    expect(await settings()).toEqual({
      cas_required: false,
      delete_version_after: '3h25m19s',
      max_versions: 5,
    })

    expect(statusAndBody(await secrets.put('secret/config', { cas_required: 'true' }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post('secret/config', {}))).toEqual(noContent)
    expect(await settings()).toEqual({
      cas_required: true,
      delete_version_after: '3h25m19s',
      max_versions: 5,
    })
  })

  // choice/secrets#large-integers
  test('a whole number that a double cannot represent is rounded to the nearest double', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/json' }
    await secrets.post('secret/config', '{"max_versions":9007199254740993}', { headers })

    expect((await secrets.get('secret/config')).text).toContain('"max_versions":9007199254740992')
  })

  // choice/secrets#duration-parts
  test.each([
    ['-1s', '-1s'],
    [-3600, '-1s'],
    [0, '0s'],
    ['1d', '24h0m0s'],
    [90, '1m30s'],
    ['1500ms', '1s'],
  ])('delete_version_after %j reads as %s (behaviour/secrets#key-value)', async (input, read) => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { delete_version_after: '10s' })

    await secrets.post('secret/config', { delete_version_after: input })

    expect((await secrets.get('secret/config')).body.data.delete_version_after).toBe(read)
  })

  test.each([
    [{ max_versions: -1 }, "'max_versions' cannot be negative"],
    [
      { max_versions: 'x' },
      'Field validation failed: error converting input x for field "max_versions": cannot parse \'\' as int: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      { delete_version_after: 'soon' },
      'Field validation failed: error converting input soon for field "delete_version_after": time: invalid duration "soon"',
    ],
  ])('%j is refused', async (body, text) => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/config', body))).toEqual(
      refusedReply(400, text),
    )
    expect((await secrets.get('secret/config')).body.data.max_versions).toBe(0)
  })
})

describe('behaviour/secrets#kv2', () => {
  function hinted(text: string): object {
    return { status: 404, body: envelope({ warnings: [text], errors: [] }) }
  }

  function wrongPath(command: string, cli = 'secrets', product = 'Service'): object {
    return hinted(
      `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the ${product} CLI, use '${cli} kv ${command}' for this operation.`,
    )
  }

  test('an unknown first segment brings a hint that names the command', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.get('secret/foo'))).toEqual(wrongPath('get'))
    expect(statusAndBody(await secrets.list('secret/foo'))).toEqual(wrongPath('list'))
    expect(statusAndBody(await secrets.post('secret/foo', { a: 1 }))).toEqual(wrongPath('put'))
    expect(statusAndBody(await secrets.put('secret/foo/bar', { a: 1 }))).toEqual(wrongPath('put'))
    expect(statusAndBody(await secrets.patch('secret/foo', { a: 1 }))).toEqual(wrongPath('patch'))
    expect(statusAndBody(await secrets.delete('secret/foo'))).toEqual(wrongPath('delete'))
    expect(statusAndBody(await secrets.list('secret'))).toEqual(wrongPath('list'))
  })

  test('the vendor dialect names its own command-line client', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })

    expect(statusAndBody(await secrets.get('secret/foo'))).toEqual(
      wrongPath('get', 'vault', 'Vault'),
    )
  })

  test.each(['data', 'metadata', 'delete', 'undelete', 'destroy'])(
    'the bare root %s brings a hint of its own',
    async (root) => {
      const { secrets } = await servedSecrets()

      expect(statusAndBody(await secrets.get(`secret/${root}`))).toEqual(
        hinted('Non-listing operations on the root of a K/V v2 mount are not supported.'),
      )
    },
  )

  test('a path that ends in a period is unsupported (behaviour/secrets#api-periods)', async () => {
    const { secrets } = await servedSecrets()
    const unknown = refusedReply(404, '1 error occurred:\n\t* unsupported path\n\n')

    expect(statusAndBody(await secrets.post('secret/data/app.', { data: {} }))).toEqual(unknown)
    expect(statusAndBody(await secrets.get('secret/metadata/app.'))).toEqual(unknown)
    expect(statusAndBody(await secrets.get('secret/foo.'))).toEqual(unknown)
  })
})

describe('behaviour/secrets#api-errors, 405', () => {
  test.each([
    ['LIST', 'data/app'],
    ['PATCH', 'config'],
    ['DELETE', 'config'],
    ['GET', 'delete/app'],
    ['GET', 'undelete/app'],
    ['GET', 'destroy/app'],
    ['DELETE', 'destroy/app'],
    ['POST', 'subkeys/app'],
    ['PATCH', 'subkeys/app'],
  ])('%s %s is not offered', async (method, path) => {
    const { secrets } = await servedSecrets()
    const call = {
      LIST: () => secrets.list(`secret/${path}`),
      GET: () => secrets.get(`secret/${path}`),
      POST: () => secrets.post(`secret/${path}`, {}),
      PATCH: () => secrets.patch(`secret/${path}`, {}),
      DELETE: () => secrets.delete(`secret/${path}`),
    }[method]

    expect(statusAndBody((await call?.()) ?? { status: 0 })).toEqual(
      refusedReply(405, '1 error occurred:\n\t* unsupported operation\n\n'),
    )
  })
})

describe('behaviour/secrets#kv2', () => {
  test('everything is refused until the data is moved', async () => {
    const { secrets, world, clock } = await servedSecrets()
    const mount = mountOf(world, rootNamespace, 'secret/')
    if (mount === undefined) throw new Error('a fresh world has no secret/')
    upgradeToVersion2(world, mount, 1000)
    const upgrading = refusedReply(
      400,
      'Upgrading from non-versioned to versioned data. This backend will be unavailable for a brief period and will resume service shortly.',
    )

    for (const path of ['config', 'data/app', 'metadata/app', 'subkeys/app', 'foo']) {
      expect(statusAndBody(await secrets.get(`secret/${path}`))).toEqual(upgrading)
    }
    expect(statusAndBody(await secrets.list('secret/metadata'))).toEqual(upgrading)
    for (const path of ['data/app', 'metadata/app']) {
      expect(statusAndBody(await secrets.post(`secret/${path}`, {}))).toEqual(upgrading)
      expect(statusAndBody(await secrets.patch(`secret/${path}`, {}))).toEqual(upgrading)
      expect(statusAndBody(await secrets.delete(`secret/${path}`))).toEqual(upgrading)
    }
    for (const path of ['config', 'delete/app', 'undelete/app', 'destroy/app']) {
      expect(statusAndBody(await secrets.post(`secret/${path}`, {}))).toEqual(upgrading)
    }

    clock.advance(1000)
    expect((await secrets.get('secret/config')).status).toBe(200)
  })
})
