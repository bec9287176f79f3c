import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { createOperationToken } from '../../../../state/secrets/replication/operation-tokens.ts'
import {
  activationToken,
  dr,
  follow,
  promote,
  twoClusters,
  updatePrimary,
} from '../../../support/secrets/replication.ts'
import { envelope, error, noContent, ok, statusAndBody } from '../replies.ts'

const disabledOnSecondary = error(400, 'path disabled in replication DR secondary mode')
const alreadyEnabled = error(400, 'replication is already enabled on this cluster')
const noPrimary = error(400, 'replication is not enabled as a DR primary on this cluster')
const noSecondary = error(400, 'replication is not enabled as a DR secondary on this cluster')
const notASecondary = error(400, 'this cluster is not a DR secondary')

type Mode = 'disabled' | 'primary' | 'secondary'

/** Starts a cluster in a mode, and a primary that it may join. */
async function clusterIn(mode: Mode, dialect: DialectName = 'neutral') {
  const { first, second } = await twoClusters({ dialect })
  const token = await activationToken(first, 'joining')
  if (mode !== 'disabled') await second.secrets.post(`${dr}/primary/enable`)
  if (mode === 'secondary') await second.secrets.post(`${dr}/primary/demote`)
  return { primary: first, cluster: second, token }
}

const briefPause = (service: string) =>
  `${service} will be unavailable for a brief period and will resume service shortly.`
const found = (service: string) =>
  `${service} has successfully found secondary information; it may take a while to perform setup tasks. ${service} will be unavailable until these tasks and initial sync complete.`

describe('behaviour/secrets#replication: warnings and bodies', () => {
  const dialects = [
    ['neutral', 'Service'],
    ['vendor', 'Vault'],
  ] as const

  describe.each(dialects)('%s', (dialect, service) => {
    const pause = briefPause(service)
    const okWithWarning = (warning: string) => ok({ warnings: [warning] })

    test('primary/enable', async () => {
      const { cluster } = await clusterIn('disabled', dialect)
      expect(statusAndBody(await cluster.secrets.post(`${dr}/primary/enable`))).toEqual(
        okWithWarning(`This cluster is being enabled as a primary for replication. ${pause}`),
      )
    })

    test('primary/demote', async () => {
      const { cluster } = await clusterIn('primary', dialect)
      expect(statusAndBody(await cluster.secrets.post(`${dr}/primary/demote`))).toEqual(
        okWithWarning(`This cluster is being demoted to a replication secondary. ${pause}`),
      )
    })

    test.each(['primary', 'secondary'] as const)('%s/disable', async (mode) => {
      const { cluster } = await clusterIn(mode, dialect)
      expect(statusAndBody(await cluster.secrets.post(`${dr}/${mode}/disable`))).toEqual(
        okWithWarning(`This cluster is having replication disabled. ${pause}`),
      )
    })

    test('secondary/enable', async () => {
      const { cluster, token } = await clusterIn('disabled', dialect)
      expect(
        statusAndBody(await cluster.secrets.post(`${dr}/secondary/enable`, { token })),
      ).toEqual(okWithWarning(found(service)))
    })

    test('secondary/update-primary', async () => {
      const { first, second, addCluster: more } = await twoClusters({ dialect })
      await follow(first, second)
      const third = more('third')
      await follow(first, third, 'west')
      await promote(second)
      const token = await activationToken(second, 'west')
      expect(statusAndBody(await updatePrimary(third, token))).toEqual(
        okWithWarning(found(service)),
      )
    })

    test('secondary/update-primary with a blank token', async () => {
      const { cluster } = await clusterIn('secondary', dialect)
      expect(statusAndBody(await updatePrimary(cluster, ''))).toEqual(okWithWarning(pause))
    })

    // choice/secrets#replication-promoted-at-once
    test('secondary/promote', async () => {
      const { cluster } = await clusterIn('secondary', dialect)
      const progress = { progress: 0, required: 1, complete: false }
      expect(statusAndBody(await promote(cluster))).toEqual({
        status: 200,
        body: {
          ...envelope({
            data: progress,
            warnings: [`This cluster is being promoted to a replication primary. ${pause}`],
          }),
          ...progress,
        },
      })
    })

    test('primary/secondary-token', async () => {
      const { primary } = await clusterIn('disabled', dialect)
      const path = `${dr}/primary/secondary-token`
      expect(statusAndBody(await primary.secrets.post(path, { id: 'east' }))).toEqual(
        ok({
          request_id: '',
          wrap_info: {
            token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
            accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
            ttl: 1800,
            creation_time: '2026-01-01T00:00:00Z',
            creation_path: path,
            ...(dialect === 'neutral' && { wrapped_accessor: '' }),
          },
        }),
      )
    })

    test('primary/secondary-token with secondary_public_key', async () => {
      const { primary, cluster } = await clusterIn('disabled', dialect)
      const created = await cluster.secrets.post(`${dr}/secondary/generate-public-key`)
      expect(statusAndBody(created)).toEqual(
        ok({ data: { secondary_public_key: expect.stringMatching(/^[\w+/]{43}=$/) } }),
      )
      const reply = await primary.secrets.post(`${dr}/primary/secondary-token`, {
        id: 'east',
        ...created.body.data,
      })
      expect(statusAndBody(reply)).toEqual(
        ok({ data: { token: expect.stringMatching(/^[\w-]{200,}$/) } }),
      )
    })

    test('primary/revoke-secondary', async () => {
      const { primary } = await clusterIn('disabled', dialect)
      const reply = await primary.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'joining' })
      expect(statusAndBody(reply)).toEqual(noContent)
    })
  })

  test('secondary/generate-public-key: a new key each call', async () => {
    const { cluster } = await clusterIn('secondary')
    const ask = async () => {
      const { body } = await cluster.secrets.post(`${dr}/secondary/generate-public-key`)
      return body.data.secondary_public_key
    }
    expect(await ask()).not.toBe(await ask())
  })
})

describe('behaviour/secrets#replication', () => {
  const primaryOnly = ['demote', 'disable', 'secondary-token', 'revoke-secondary']
  const secondaryOnly = ['promote', 'update-primary', 'disable']
  const modes = ['disabled', 'primary', 'secondary'] as const

  const wrong = [
    ['primary/enable', 'primary', alreadyEnabled],
    ['primary/enable', 'secondary', disabledOnSecondary],
    ['secondary/enable', 'primary', alreadyEnabled],
    ['secondary/enable', 'secondary', disabledOnSecondary],
    ...primaryOnly.flatMap((name) => [
      [`primary/${name}`, 'disabled', noPrimary] as const,
      [`primary/${name}`, 'secondary', disabledOnSecondary] as const,
    ]),
    ...secondaryOnly.flatMap((name) => [
      [`secondary/${name}`, 'disabled', noSecondary] as const,
      [`secondary/${name}`, 'primary', noSecondary] as const,
    ]),
    ['secondary/operation-token/delete', 'disabled', notASecondary],
    ['secondary/operation-token/delete', 'primary', notASecondary],
    ['secondary/generate-operation-token/attempt', 'disabled', notASecondary],
    ['secondary/generate-operation-token/attempt', 'primary', notASecondary],
    ['secondary/generate-operation-token/update', 'disabled', notASecondary],
    ['secondary/generate-operation-token/update', 'primary', notASecondary],
  ] as const

  // The mode is checked first, with all fields or without any.
  // choice/secrets#replication-wrong-mode-first
  test.each(wrong)('%s while %s', async (path, mode, answer) => {
    const { cluster, token } = await clusterIn(mode)
    const before = cluster.world.store.index('secrets')
    const fields = { id: 'east', token, dr_operation_token: 'x', key: 'x', nonce: 'x' }
    for (const payload of [{}, fields]) {
      expect(statusAndBody(await cluster.secrets.post(`${dr}/${path}`, payload))).toEqual(answer)
    }
    expect(cluster.world.store.index('secrets')).toBe(before)
  })

  test.each(modes)('generate-public-key works while %s', async (mode) => {
    const { cluster } = await clusterIn(mode)
    const reply = await cluster.secrets.post(`${dr}/secondary/generate-public-key`)
    expect(reply.status).toBe(200)
  })

  test.each([
    ['disabled', 200],
    ['primary', 200],
    ['secondary', 472],
  ] as const)('behaviour/secrets#health, Health: %s', async (mode, status) => {
    const { cluster } = await clusterIn(mode)
    const reply = await cluster.secrets.get('sys/health')
    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject({
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: mode,
    })
    const { status: chosen } = await cluster.secrets.get('sys/health', {
      query: { drsecondarycode: '299' },
    })
    expect(chosen).toBe(mode === 'secondary' ? 299 : status)
  })
})

describe('fields are looked at after the mode (behaviour/secrets#replication)', () => {
  const tokenMissing = error(400, 'token must be specified')
  const operationMissing = error(400, 'missing dr_operation_token')
  const operationWrong = error(403, 'invalid DR operation token')

  test('secondary/enable without a token is refused', async () => {
    const { cluster } = await clusterIn('disabled')
    for (const payload of [{}, { token: '' }]) {
      const reply = await cluster.secrets.post(`${dr}/secondary/enable`, payload)
      expect(statusAndBody(reply)).toEqual(tokenMissing)
    }
  })

  test.each(['promote', 'update-primary'])('secondary/%s: operation token', async (name) => {
    const { cluster, token } = await clusterIn('secondary')
    const call = (fields: object) =>
      cluster.secrets.post(`${dr}/secondary/${name}`, { token, ...fields })
    expect(statusAndBody(await call({}))).toEqual(operationMissing)
    expect(statusAndBody(await call({ dr_operation_token: '' }))).toEqual(operationMissing)
    for (const wrong of ['wrong', 'root']) {
      expect(statusAndBody(await call({ dr_operation_token: wrong }))).toEqual(operationWrong)
    }
    expect((await cluster.status()).mode).toBe('secondary')
  })

  test('secondary/update-primary without token', async () => {
    const { cluster } = await clusterIn('secondary')
    const dr_operation_token = createOperationToken(cluster.world)
    const reply = await cluster.secrets.post(`${dr}/secondary/update-primary`, {
      dr_operation_token,
    })
    expect(statusAndBody(reply)).toEqual(tokenMissing)
  })

  test('secondary/disable: an operation token is verified if sent', async () => {
    const { cluster } = await clusterIn('secondary')
    const path = `${dr}/secondary/disable`
    const refused = await cluster.secrets.post(path, { dr_operation_token: 'wrong' })
    expect(statusAndBody(refused)).toEqual(operationWrong)
    const dr_operation_token = createOperationToken(cluster.world)
    expect((await cluster.secrets.post(path, { dr_operation_token })).status).toBe(200)
  })

  test('an operation token dies when the cluster leaves secondary mode', async () => {
    const { cluster } = await clusterIn('secondary')
    const dr_operation_token = createOperationToken(cluster.world)
    await promote(cluster)
    await cluster.secrets.post(`${dr}/primary/demote`)
    const reply = await cluster.secrets.post(`${dr}/secondary/promote`, { dr_operation_token })
    expect(statusAndBody(reply)).toEqual(operationWrong)
  })

  test.each(['secondary-token', 'revoke-secondary'])('primary/%s without id', async (name) => {
    const { primary } = await clusterIn('disabled')
    const expected =
      name === 'secondary-token' ? 'id must be specified' : 'secondary with id "" not found'
    for (const payload of [{}, { id: '' }]) {
      const reply = await primary.secrets.post(`${dr}/primary/${name}`, payload)
      expect(statusAndBody(reply)).toEqual(error(400, expected))
    }
  })

  test('fields that cannot be converted', async () => {
    const { primary } = await clusterIn('disabled')
    const reply = await primary.secrets.post(`${dr}/primary/secondary-token`, {
      id: 'east',
      ttl: 'soon',
    })
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0]).toMatch(
      /^Field validation failed: error converting input soon for field "ttl": /,
    )
  })
})
