import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

const dialects = ['neutral', 'vendor'] as const
const orchNames = { neutral: 'orch', vendor: 'kubernetes' } as const
const cloudNames = { neutral: 'cloud', vendor: 'oci' } as const

const systemTypes = ['cubbyhole', 'identity', 'sys'] as const

describe.each(dialects)('behaviour/secrets#mounts, %s', (dialect) => {
  const orch = orchNames[dialect]
  const cloud = cloudNames[dialect]

  test("options are {} if a request had none, null for the system's own mounts", async () => {
    const { secrets } = await servedSecrets({ dialect })
    await secrets.post('sys/mounts/plain', { type: 'kv' })
    await secrets.post('sys/auth/plain', { type: cloud })
    const mounts = (await secrets.get('sys/mounts')).body.data
    const methods = (await secrets.get('sys/auth')).body.data

    for (const name of systemTypes) expect(mounts[`${name}/`].options).toBeNull()
    expect(methods['token/'].options).toBeNull()
    expect(mounts['plain/'].options).toEqual({})
    expect(mounts[`${orch}/`].options).toEqual({})
    expect(methods['plain/'].options).toEqual({})
    expect(methods[`${cloud}/`].options).toEqual({})
    expect((await secrets.get('sys/mounts/plain/tune')).body.data).not.toHaveProperty('options')
  })

  test('sys/ and identity/ list the request headers that they accept', async () => {
    const { secrets } = await servedSecrets({ dialect })
    const { data } = (await secrets.get('sys/mounts')).body
    const headersOf = (path: string) => data[path].config.passthrough_request_headers
    expect(headersOf('sys/')).toEqual(['Accept'])
    expect(headersOf('identity/')).toEqual(['Authorization'])
    expect(headersOf('cubbyhole/')).toBeUndefined()
    expect(headersOf('secret/')).toBeUndefined()
  })

  test('mounts have a deprecation status unless they are of the system', async () => {
    const { secrets } = await servedSecrets({ dialect })
    const mounts = (await secrets.get('sys/mounts')).body.data
    const methods = (await secrets.get('sys/auth')).body.data
    for (const name of systemTypes) {
      expect(mounts[`${name}/`]).not.toHaveProperty('deprecation_status')
    }
    expect(methods['token/']).not.toHaveProperty('deprecation_status')
    for (const entry of [mounts['kv/'], mounts[`${orch}/`], methods[`${cloud}/`]]) {
      expect(entry).toHaveProperty('deprecation_status', 'supported')
    }
    const token = (await secrets.get('sys/auth/token')).body.data
    expect(token).not.toHaveProperty('deprecation_status')
  })

  test('every method has its kind of token and of accessor', async () => {
    const { secrets } = await servedSecrets({ dialect })
    const methods = (await secrets.get('sys/auth')).body.data
    for (const entry of Object.values<{ type: string }>(methods)) {
      expect(entry).toMatchObject({
        accessor: expect.stringMatching(new RegExp(`^auth_${entry.type}_[0-9a-f]{8}$`)),
        config: { token_type: 'default-service' },
      })
    }
  })

  test('listing_visibility is returned unless empty', async () => {
    const { secrets } = await servedSecrets({ dialect })
    const visibility = async () => (await secrets.get('sys/mounts/kv')).body.data.config
    expect(await visibility()).not.toHaveProperty('listing_visibility')
    await secrets.post('sys/mounts/kv/tune', { listing_visibility: 'unauth' })
    expect(await visibility()).toHaveProperty('listing_visibility', 'unauth')
    await secrets.post('sys/mounts/kv/tune', { listing_visibility: '' })
    expect(await visibility()).not.toHaveProperty('listing_visibility')
  })

  test('generic is a key-value engine of version 1 under its old name', async () => {
    const { secrets } = await servedSecrets({ dialect })
    expect((await secrets.post('sys/mounts/old', { type: 'generic' })).status).toBe(204)
    expect((await secrets.get('sys/mounts/old')).body.data).toMatchObject({
      type: 'generic',
      accessor: expect.stringMatching(/^generic_[0-9a-f]{8}$/),
      options: {},
    })
    expect((await secrets.post('old/a', { user: 'ada' })).status).toBe(204)
    expect((await secrets.get('old/a')).body).toMatchObject({
      data: { user: 'ada' },
      lease_duration: 2764800,
    })

    const versioned = await secrets.post('sys/mounts/v', {
      type: 'generic',
      options: { version: '2' },
    })
    expect([versioned.status, versioned.body]).toEqual([
      400,
      { errors: ['secrets engine "generic" does not allow setting a version'] },
    ])
    await secrets.delete('sys/mounts/old')
    await secrets.post('sys/mounts/old', { type: 'generic' })
    expect((await secrets.get('old/a')).status).toBe(404)
  })

  test.each(['3', '0', 'abc', '01'])('kv has no version %s', async (version) => {
    const { secrets } = await servedSecrets({ dialect })
    const refused = (path: string) =>
      secrets.post(`sys/mounts/${path}`, { type: 'kv', options: { version } })
    const reply = await refused('x')
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: ['nil backend of type "kv" returned from factory'] },
    ])
    // The path is checked first.
    expect((await refused('secret')).body.errors).toEqual(['path is already in use at secret/'])
  })

  test("types of a child namespace's own mounts have a prefix", async () => {
    const { secrets } = await servedSecrets({ dialect })
    await secrets.post('sys/namespaces/ns1', {})
    const mounts = (await secrets.get('ns1/sys/mounts')).body.data
    const methods = (await secrets.get('ns1/sys/auth')).body.data
    expect(mounts).toMatchObject({
      'cubbyhole/': { type: 'ns_cubbyhole', options: null },
      'identity/': { type: 'ns_identity', options: null },
      'sys/': { type: 'ns_system', options: null },
    })
    expect(mounts['sys/']).toMatchObject({
      accessor: expect.stringMatching(/^ns_system_[0-9a-f]{8}$/),
      config: { passthrough_request_headers: ['Accept'] },
    })
    expect(methods['token/']).toMatchObject({
      type: 'ns_token',
      accessor: expect.stringMatching(/^auth_ns_token_[0-9a-f]{8}$/),
    })

    // The mounts work like those of the root namespace.
    const created = await secrets.post('ns1/auth/token/create', { policies: ['default'] })
    const inside = { token: created.body.auth.client_token }
    expect((await secrets.post('ns1/cubbyhole/a', { x: '1' }, inside)).status).toBe(204)
    expect((await secrets.get('ns1/cubbyhole/a', inside)).body.data).toEqual({ x: '1' })

    const type = 'ns_identity'
    expect((await secrets.post('sys/mounts/x', { type })).body.errors).toEqual([
      'mount type of "ns_identity" is not mountable',
    ])
  })
})
