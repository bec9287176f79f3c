import { describe, expect, test } from 'vitest'
import { armor, keyId } from '../../../support/platform/gpg-key.ts'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import {
  giveRights,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const keys = '/api/registry/private/v2/gpg-keys'
const list = 'organizations/example-org/registry-providers'
const aws = `${list}/private/example-org/aws`

const names = { name: 'aws', namespace: 'example-org', 'registry-name': 'private' }
const gpgKey = (attributes: object) => resource('gpg-keys', attributes)
const provider = (attributes: object) => resource('registry-providers', attributes)
const version = (attributes: object) => resource('registry-provider-versions', attributes)
const platform = (attributes: object) => resource('registry-provider-version-platforms', attributes)

/** Creates the GPG key, and returns its resource. */
async function makeKey(api: PlatformClient) {
  const body = gpgKey({ namespace: 'example-org', 'ascii-armor': armor })
  const reply = await api.post(keys, body)
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

describe('behaviour/platform#gpg-keys', () => {
  test('create, read, list, move and delete, below the prefix of the private registry', async () => {
    const { api, as, admin } = await withWorkspace()
    const data = await makeKey(api)
    expect(data).toEqual({
      id: '1',
      type: 'gpg-keys',
      attributes: {
        'ascii-armor': armor,
        'created-at': expect.stringMatching(/Z$/),
        'updated-at': expect.stringMatching(/Z$/),
        'key-id': keyId,
        namespace: 'example-org',
        source: '',
        'source-url': null,
        'trust-signature': '',
      },
      links: { self: `${keys}/example-org/${keyId}` },
    })
    const path = `${keys}/example-org/${keyId}`
    const member = as('member-token')
    expect((await member.get(path)).body).toEqual({ data })
    const filtered = `${keys}?filter[namespace]=example-org`
    expect((await member.get(filtered)).body).toMatchObject({ data: [data] })
    expect((await api.get(keys)).body).toEqual(failure(403))
    for (const [attributes, expected] of [
      [{ 'ascii-armor': armor }, invalid(['namespace', "Namespace can't be blank"])],
      [{ namespace: 'other' }, failure(404)],
      [{ namespace: 'example-org' }, invalid(['ascii-armor', "Ascii armor can't be blank"])],
      [
        { namespace: 'example-org', 'ascii-armor': armor.replace('mDME', 'mDMD') },
        invalid(['ascii-armor', 'Ascii armor is invalid']),
      ],
      [
        { namespace: 'example-org', 'ascii-armor': armor },
        invalid(['ascii-armor', 'Ascii armor has already been taken']),
      ],
    ] as const) {
      expect((await api.post(keys, gpgKey(attributes))).body).toEqual(expected)
    }
    for (const token of ['member-token', extraTokens.organization, extraTokens.outsider]) {
      const body = gpgKey({ namespace: 'example-org', 'ascii-armor': armor })
      expect((await as(token).post(keys, body)).status).toBe(404)
      expect((await as(token).delete(path)).status).toBe(404)
    }
    expect((await as(extraTokens.organization).get(path)).status).toBe(404)
    expect((await api.post(keys, '{}', { token: null })).status).toBe(401)

    const other = { name: 'other-org', email: 'a@example.com' }
    expect((await admin.post('organizations', resource('organizations', other))).status).toBe(201)
    const moved = gpgKey({ namespace: 'other-org' })
    for (const refused of [moved, gpgKey({ namespace: 'no-org' })]) {
      const { status, body } = await api.patch(path, refused)
      expect([status, body]).toEqual([403, failure(403, 'namespace not authorized')])
    }
    const reply = await admin.patch(path, moved)
    expect(reply.body.data.attributes.namespace).toBe('other-org')
    expect((await admin.delete(`${keys}/other-org/${keyId}`)).status).toBe(204)
    expect((await admin.get(`${keys}/other-org/${keyId}`)).status).toBe(404)
  })
})

describe('behaviour/platform#registry-providers', () => {
  test('a provider has versions with platforms, whose files are uploaded and installed', async () => {
    const { api, as } = await withWorkspace({ dialect: 'vendor' })
    await makeKey(api)
    const made = (await api.post(list, provider(names))).body.data
    expect(made).toMatchObject({
      id: expect.stringMatching(/^prov-/),
      attributes: { ...names, permissions: { 'can-delete': true } },
      relationships: { versions: { data: [], links: { related: `/api/v2/${aws}/versions` } } },
      links: { self: `/api/v2/${aws}` },
    })
    const added = await api.post(
      `${aws}/versions`,
      version({ version: '3.1.1', 'key-id': keyId, protocols: ['5.0'] }),
    )
    expect(added.status).toBe(201)
    expect(added.body.data).toMatchObject({
      id: expect.stringMatching(/^provver-/),
      attributes: { version: '3.1.1', 'shasums-uploaded': false, 'shasums-sig-uploaded': false },
      relationships: { 'registry-provider': { data: { id: made.id } }, platforms: { data: [] } },
    })
    const attributes = {
      os: 'linux',
      arch: 'amd64',
      shasum: 'a'.repeat(64),
      filename: 'aws_3.1.1.zip',
    }
    const one = `${aws}/versions/3.1.1`
    const built = await api.post(`${one}/platforms`, platform(attributes))
    expect([built.status, built.body.data.type]).toEqual([201, 'registry-provider-platforms'])
    expect(built.body.data.attributes).toMatchObject({
      ...attributes,
      'provider-binary-uploaded': false,
    })

    const protocol = '/api/registry/v1/providers/example-org/aws'
    const member = as('member-token')
    expect((await member.get(`${protocol}/versions`)).body).toEqual({ versions: [] })
    const upload = async (link: string, text: string) => {
      const reply = await api.request('PUT', localPart(link), text, { token: null })
      expect(reply.status).toBe(200)
    }
    await upload(added.body.data.links['shasums-upload'], 'sums')
    await upload(added.body.data.links['shasums-sig-upload'], 'signature')
    await upload(built.body.data.links['provider-binary-upload'], 'binary')
    const { data } = (await api.get(one)).body
    expect(data.attributes).toMatchObject({
      'shasums-uploaded': true,
      'shasums-sig-uploaded': true,
    })
    expect(Object.keys(data.links).sort()).toEqual(['shasums-download', 'shasums-sig-download'])
    const binary = (await api.get(`${one}/platforms/linux/amd64`)).body.data
    expect(binary.attributes['provider-binary-uploaded']).toBe(true)
    const used = localPart(built.body.data.links['provider-binary-upload'])
    expect((await api.request('PUT', used, 'again', { token: null })).status).toBe(404)

    expect((await member.get(`${protocol}/versions`)).body).toEqual({
      versions: [
        { version: '3.1.1', protocols: ['5.0'], platforms: [{ os: 'linux', arch: 'amd64' }] },
      ],
    })
    const found = await member.get(`${protocol}/3.1.1/download/linux/amd64`)
    expect(found.body).toMatchObject({
      ...attributes,
      protocols: ['5.0'],
      download_url: binary.links['provider-binary-download'],
      signing_keys: { gpg_public_keys: [{ key_id: keyId, ascii_armor: armor }] },
    })
    const file = await api.get(localPart(found.body.shasums_signature_url), { token: null })
    expect(file.text).toBe('signature')
    const absent = await member.get(`${protocol}/3.1.1/download/linux/arm64`)
    expect([absent.status, absent.body]).toEqual([404, { errors: ['not found'] }])
    const discovery = await api.get('/.well-known/terraform.json')
    expect(discovery.body['providers.v1']).toBe('/api/registry/v1/providers/')

    const organization = resource('organizations', { name: 'renamed' })
    expect((await api.patch('organizations/example-org', organization)).status).toBe(200)
    const renamed = 'organizations/renamed/registry-providers/private/renamed/aws'
    for (const path of ['/versions/3.1.1/platforms/linux/amd64', '/versions/3.1.1', '']) {
      expect((await api.delete(renamed + path)).status).toBe(204)
      expect((await api.get(renamed + path)).status).toBe(404)
    }
    expect((await api.get(localPart(data.links['shasums-download']))).status).toBe(404)
  })

  test('bad input is 422, versions of public providers are 403, and only managers write', async () => {
    const { api, as } = await withWorkspace()
    await makeKey(api)
    await api.post(list, provider(names))
    const publicAws = { name: 'aws', namespace: 'vendor', 'registry-name': 'public' }
    expect((await api.post(list, provider(publicAws))).status).toBe(201)
    const versions = `${aws}/versions`
    const good = { version: '1.0.0', 'key-id': keyId, protocols: ['6.0'] }
    expect((await api.post(versions, version(good))).status).toBe(201)
    const platforms = `${versions}/1.0.0/platforms`
    const linux = { os: 'linux', arch: 'amd64', shasum: 'a'.repeat(64), filename: 'f' }
    expect((await api.post(platforms, platform(linux))).status).toBe(201)
    const blanks = ['os', 'arch', 'shasum', 'filename'].map(
      (name) => [name, `${name.charAt(0).toUpperCase()}${name.slice(1)} can't be blank`] as const,
    )
    for (const [path, body, expected] of [
      [list, provider({ ...names, namespace: 'other' }), [['namespace', 'Namespace is invalid']]],
      [
        list,
        provider({ ...names, 'registry-name': 'x' }),
        [['registry-name', 'Registry name is not included in the list']],
      ],
      [list, provider(names), [['name', 'Name has already been taken']]],
      [list, provider({ ...names, name: '' }), [['name', "Name can't be blank"]]],
      [versions, version({ ...good, version: '1' }), [['version', 'Version is invalid']]],
      [versions, version(good), [['version', 'Version has already been taken']]],
      [
        versions,
        version({ version: '2.0.0', 'key-id': '', protocols: ['3.0'] }),
        [
          ['key', "Key can't be blank"],
          ['protocols', 'Protocols is invalid'],
        ],
      ],
      [platforms, platform({}), blanks],
      [platforms, platform({ ...linux, shasum: 'x' }), [['os', 'Os has already been taken']]],
    ] as const) {
      const reply = await api.post(path, body)
      expect([reply.status, reply.body]).toEqual([422, invalid(...expected)])
    }
    const listed = await api.get(`${list}?filter[registry_name]=public&q=AW`)
    expect(listed.body.data.map((one: { attributes: object }) => one.attributes)).toMatchObject([
      publicAws,
    ])
    const ofPublic = `${list}/public/vendor/aws/versions`
    expect((await api.get(ofPublic)).body).toEqual(failure(403))
    expect((await api.post(ofPublic, version(good))).body).toEqual(failure(403))
    for (const token of ['member-token', extraTokens.organization]) {
      expect((await as(token).post(list, provider({ ...names, name: 'a' }))).status).toBe(404)
      expect((await as(token).delete(aws)).status).toBe(404)
    }
    expect((await as(extraTokens.organization).get(list)).status).toBe(404)
    const member = as('member-token')
    expect((await member.get(`${platforms}/linux/amd64`)).status).toBe(200)
    expect((await member.get(platforms)).body.meta.pagination['total-count']).toBe(1)
    await giveRights(api, 'manage-providers')
    expect((await member.delete(aws)).status).toBe(204)
  })
})

describe('behaviour/platform#registry-providers, behaviour/platform#tags: tags and ids', () => {
  const bindings = (...tags: readonly { key: string; value: string }[]) => ({
    'tag-bindings': { data: tags.map((attributes) => ({ type: 'tag-bindings', attributes })) },
  })

  test('a provider is read by its id, with its versions if the query includes them', async () => {
    const { api, as } = await withWorkspace()
    await makeKey(api)
    const { data } = (await api.post(list, provider(names))).body
    const input = { version: '1.0.0', 'key-id': keyId, protocols: ['5.0'] }
    const made = await api.post(`${aws}/versions`, version(input))
    const path = `registry-providers/${data.id}`
    const include = 'include=registry-provider-versions'
    for (const address of [path, aws]) {
      expect((await api.get(`${address}?${include}`)).body).toMatchObject({
        data: {
          id: data.id,
          relationships: { 'registry-provider-versions': { data: [{ id: made.body.data.id }] } },
        },
        included: [{ id: made.body.data.id, attributes: { version: '1.0.0' } }],
      })
    }
    expect((await api.get(`${list}?${include}`)).body.included).toHaveLength(1)
    expect((await api.get(`${path}?include=others`)).status).toBe(400)
    expect((await as('member-token').get(path)).status).toBe(200)
    for (const token of [extraTokens.organization, extraTokens.outsider]) {
      expect((await as(token).get(path)).status).toBe(404)
    }
    expect((await api.get('registry-providers/prov-none')).status).toBe(404)
  })

  test('PATCH replaces the tags of a provider and of a module, and no tags remove them', async () => {
    const { api, as } = await withWorkspace()
    const { data } = (await api.post(list, provider(names))).body
    const network = 'organizations/example-org/registry-modules/private/example-org/network/cloud1'
    const module = (await api.get(network)).body.data
    const tag = { key: 'env', value: 'prod' }
    for (const [path, type, id] of [
      [aws, 'registry-providers', data.id],
      [network, 'registry-modules', module.id],
    ]) {
      const tags = async () => {
        const reply = await api.get(`${type}/${id}/tag-bindings`)
        return reply.body.data.map((one: { attributes: object }) => one.attributes)
      }
      const change = (relationships: object) =>
        api.patch(`${path}`, resource(`${type}`, {}, relationships))
      expect((await change(bindings(tag))).status).toBe(200)
      expect((await change({})).status).toBe(200)
      expect(await tags()).toMatchObject([tag])
      expect((await change(bindings({ key: 'a b', value: '' }))).body).toEqual(
        invalid(['key', 'Key is invalid']),
      )
      expect((await as('member-token').patch(`${path}`, resource(`${type}`))).status).toBe(404)
      expect((await change(bindings())).status).toBe(200)
      expect(await tags()).toEqual([])
    }
  })
})
