import { describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { servedSecrets } from '../../../../support/secrets/secrets.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const status = {
  type: 'shamir',
  initialized: true,
  sealed: true,
  t: 3,
  n: 5,
  progress: 0,
  nonce: '',
  version: '1.14.0+ent',
  build_date: '2023-06-19T11:40:23Z',
  migration: false,
  recovery_seal: false,
  storage_type: 'inmem_ha',
}
const cluster = { cluster_name: 'understudy-cluster', cluster_id: uuid }

describe('behaviour/secrets#seal: GET sys/seal-status', () => {
  // choice/secrets#build-date
  test('an unsealed node shows its cluster, without a token', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/seal-status', { token: null })
    expect([reply.status, reply.body]).toEqual([200, { ...status, sealed: false, ...cluster }])
  })

  test('the status of a sealed node names no cluster', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    const reply = await secrets.get('sys/seal-status', { token: null })
    expect([reply.status, reply.body]).toEqual([200, status])
  })

  test('the status of a node that is not initialised has no shares', async () => {
    const { secrets } = await servedSecrets({ secrets: { initialized: false } })
    const reply = await secrets.get('sys/seal-status', { token: null })
    expect([reply.status, reply.body]).toEqual([200, { ...status, initialized: false, t: 0, n: 0 }])
  })
})

describe('behaviour/secrets#api-rekey: stored-key seals', () => {
  const seal = 'stored'
  const recovery = { ...status, recovery_seal: true }
  const opened = { ...recovery, sealed: false, ...cluster }

  // choice/secrets#stored-seal-type
  test('a fresh node is unsealed; its shares are recovery shares', async () => {
    const { secrets } = await servedSecrets({ secrets: { seal } })
    expect((await secrets.get('sys/seal-status', { token: null })).body).toEqual(opened)
  })

  // choice/secrets#stored-seal-type
  test('before initialisation it shows the type of the seal, not that of its shares', async () => {
    const { secrets } = await servedSecrets({ secrets: { seal, initialized: false } })
    expect((await secrets.get('sys/seal-status', { token: null })).body).toEqual({
      ...recovery,
      type: 'transit',
      initialized: false,
      t: 0,
      n: 0,
    })
  })

  // choice/secrets#stored-seal-sealed
  test('after sealing by hand, recovery shares unseal it; wrong ones have their own error', async () => {
    const { secrets, world } = await servedSecrets({ secrets: { seal } })
    await secrets.post('sys/seal')
    expect((await secrets.get('sys/seal-status')).body).toEqual(recovery)
    const [a = '', b = '', c = ''] = unsealKeys(world).keys
    for (const key of ['ff'.repeat(33), a]) await secrets.post('sys/unseal', { key })
    const wrong = await secrets.post('sys/unseal', { key: b })
    expect([wrong.status, wrong.body]).toEqual([
      400,
      {
        errors: ['recovery key verification failed: recovery key does not match submitted values'],
      },
    ])
    for (const key of [a, b]) await secrets.post('sys/unseal', { key })
    expect((await secrets.post('sys/unseal', { key: c })).body).toEqual(opened)
  })

  // choice/secrets#stored-seal-option
  test('the kind of a seal never changes', async () => {
    const { secrets, world } = await servedSecrets()
    world.changeOptions({ secrets: { seal } })
    expect((await secrets.get('sys/seal-status')).body.recovery_seal).toBe(false)
  })
})

describe('behaviour/secrets#seal: POST sys/unseal', () => {
  test('share by share', async () => {
    const { secrets, world } = await servedSecrets({ secrets: { sealed: true } })
    const { keys } = unsealKeys(world)
    const hand = (key: string) => secrets.post('sys/unseal', { key }, { token: null })
    const [a = '', b = '', c = '', d = ''] = keys

    expect((await hand(a)).body).toEqual({ ...status, progress: 1, nonce: uuid })
    expect((await hand(a)).body).toEqual({ ...status, progress: 1, nonce: uuid })
    const second = await hand(Buffer.from(b, 'hex').toString('base64'))
    expect(second.body).toEqual({ ...status, progress: 2, nonce: uuid })
    expect((await secrets.get('secret/data/x')).status).toBe(503)
    const third = await hand(c)
    expect([third.status, third.body]).toEqual([200, { ...status, sealed: false, ...cluster }])
    expect((await secrets.get('secret/data/x')).status).toBe(404)
    expect((await hand(d)).body).toEqual({ ...status, sealed: false, ...cluster })
  })

  test('a wrong set is dropped as a whole', async () => {
    const { secrets, world } = await servedSecrets({ secrets: { sealed: true } })
    const [a = '', b = ''] = unsealKeys(world).keys
    for (const key of ['ff'.repeat(33), a]) await secrets.post('sys/unseal', { key })
    const reply = await secrets.post('sys/unseal', { key: b })
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        errors: [
          'unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
        ],
      },
    ])
    expect((await secrets.get('sys/seal-status')).body).toEqual(status)
  })

  test('reset, also together with a key', async () => {
    const { secrets, world } = await servedSecrets({ secrets: { sealed: true } })
    const [key = ''] = unsealKeys(world).keys
    await secrets.post('sys/unseal', { key })
    const reply = await secrets.put('sys/unseal', { key, reset: true }, { token: null })
    expect([reply.status, reply.body]).toEqual([200, status])
  })

  test.each([
    [{}, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [{ reset: false }, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [{ key: 'no key' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'aabb' }, 'invalid key: key is shorter than minimum 16 bytes'],
    // A key is parsed as hex only if it has the length of a share; as base64, this one lacks
    // padding.
    [{ key: 'aa' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'ab'.repeat(34) }, 'invalid key: key is longer than maximum 33 bytes'],
  ])('%j is refused', async (body, message) => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    const reply = await secrets.post('sys/unseal', body, { token: null })
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
  })

  test.each([
    ['neutral', 'service is unsealed'],
    ['vendor', 'vault is unsealed'],
  ] as const)('nothing to reset, in the %s dialect', async (dialect, message) => {
    const { secrets } = await servedSecrets({ dialect })
    const reply = await secrets.post('sys/unseal', { reset: true }, { token: null })
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
  })

  test.each(['GET', 'DELETE'])('%s is not offered', async (method) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.request({ method, path: 'sys/unseal' })
    expect([reply.status, reply.body]).toEqual([405, { errors: [] }])
  })
})

describe('behaviour/secrets#seal: POST sys/seal', () => {
  // choice/secrets#no-encryption
  test('seals; data are there again afterwards', async () => {
    const { secrets, world } = await servedSecrets()
    await secrets.post('secret/data/a', { data: { x: 1 } })
    const reply = await secrets.post('sys/seal')
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await secrets.get('secret/data/a')).body).toEqual({ errors: ['Service is sealed'] })
    expect((await secrets.post('sys/seal')).status).toBe(503)
    for (const key of unsealKeys(world).keys.slice(2)) await secrets.post('sys/unseal', { key })
    expect((await secrets.get('secret/data/a')).body.data.data).toEqual({ x: 1 })
  })

  test('needs a token', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('sys/seal', undefined, { token: null })
    expect([reply.status, reply.body]).toEqual([403, { errors: ['permission denied'] }])
  })
})
