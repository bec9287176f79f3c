import { describe, expect, test } from 'vitest'
import { dr, follow, promote, twoClusters } from '../../../support/secrets/replication.ts'
import { ok, statusAndBody } from '../replies.ts'

const headers = { 'x-secrets-wrap-ttl': '60' }

describe('behaviour/secrets#conventions and behaviour/secrets#replication: wrapping and unknown parameters', () => {
  test('the reply of secondary-token is wrapped already: the header changes nothing', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const reply = await first.secrets.post(
      `${dr}/primary/secondary-token`,
      { id: 'east' },
      { headers },
    )
    const { token, ttl } = reply.body.wrap_info
    expect(ttl).toBe(1800)
    expect((await second.secrets.post(`${dr}/secondary/enable`, { token })).status).toBe(200)
  })

  test('other replies of a primary are wrapped', async () => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const data = await first.status()
    const { body } = await first.secrets.get(`${dr}/status`, { headers })
    expect(body.data).toBeNull()
    const { token } = body.wrap_info
    const unwrapped = await first.secrets.post('sys/wrapping/unwrap', { token })
    expect(unwrapped.body.data).toEqual(data)
  })

  // choice/secrets#replication-secondary-wrapping
  test('a secondary stores no wrapped responses: its data stay those of the primary', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const data = await second.status()
    expect(statusAndBody(await second.secrets.get(`${dr}/status`, { headers }))).toEqual(
      ok({ data }),
    )
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
    expect((await promote(second)).body.wrap_info).toBeNull()
  })

  test('unknown parameters cause warnings in replies with a body', async () => {
    const { first } = await twoClusters()
    const warning = 'Endpoint ignored these unrecognized parameters: [colour]'
    const warnings = async (path: string, body: object = {}) => {
      const reply = await first.secrets.post(`${dr}/${path}`, { colour: 'red', ...body })
      return reply.body.warnings
    }
    expect(await warnings('primary/enable')).toEqual([
      expect.stringContaining('This cluster is being enabled'),
      warning,
    ])
    expect(await warnings('primary/secondary-token', { id: 'east' })).toEqual([warning])
    expect(await warnings('secondary/generate-public-key')).toEqual([warning])
    expect(await warnings('primary/demote')).toHaveLength(2)
  })

  // choice/secrets#replication-local-state
  test('local writes of a secondary do not change its merkle root', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const { merkle_root } = await first.status()
    const calls = [
      `${dr}/secondary/generate-public-key`,
      `${dr}/secondary/generate-operation-token/attempt`,
      `${dr}/secondary/promote`,
      'sys/unseal',
    ]
    for (const path of calls) await second.secrets.post(path, { reset: true })
    await second.secrets.get('sys/health')
    await second.secrets.get('sys/leader')
    expect((await second.status()).merkle_root).toBe(merkle_root)
  })
})
