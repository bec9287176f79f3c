import { describe, expect, test } from 'vitest'
import { createOperationToken } from '../../../../state/secrets/replication/operation-tokens.ts'
import { dr, follow, twoClusters } from '../../../support/secrets/replication.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { callOf, type Declared, declaredOperations } from '../declared-operations.ts'
import { error, statusAndBody } from '../replies.ts'

const disabledOnSecondary = error(400, 'path disabled in replication DR secondary mode')

/** Paths in the list of behaviour/secrets#dr-gate, none of which needs a client token. */
const listed = [
  'read sys/health',
  'read sys/seal-status',
  'read sys/init',
  'read sys/leader',
  'write sys/unseal',
  'read sys/replication/status',
  'read sys/replication/dr/status',
  'read sys/replication/dr/secondary/generate-operation-token/attempt',
  'write sys/replication/dr/secondary/generate-operation-token/attempt',
  'delete sys/replication/dr/secondary/generate-operation-token/attempt',
  'write sys/replication/dr/secondary/generate-operation-token/update',
  'write sys/replication/dr/secondary/promote',
  'write sys/replication/dr/secondary/disable',
  'write sys/replication/dr/secondary/update-primary',
  'write sys/replication/dr/secondary/operation-token/delete',
  'write sys/replication/dr/secondary/generate-public-key',
]

const operations = declaredOperations()
const closed = operations.filter(({ name }) => !listed.includes(name))
const named = (list: readonly Declared[]) => list.map((one) => [one.name, one] as const)

/** Starts a DR secondary without a primary, which has the same gate as any other. */
async function secondary() {
  const server = await servedSecrets()
  await server.secrets.post(`${dr}/primary/enable`)
  await server.secrets.post(`${dr}/primary/demote`)
  return server
}

describe('behaviour/secrets#dr-gate', () => {
  test('the declarations match the list of the decision', () => {
    const declared = operations.filter(({ operation }) => operation.onSecondary === true)
    expect(declared.map(({ name }) => name).sort()).toEqual([...listed].sort())
    expect(closed.length).toBeGreaterThan(100)
  })

  test('the gate closes every other path, with any token, for help and in a namespace', async () => {
    const { secrets, world } = await secondary()
    const before = world.store.snapshot().sequence
    for (const one of closed) {
      const call = callOf(one)
      const headers = { ...call.headers, 'x-secrets-namespace': 'a/' }
      for (const variant of [
        call,
        { ...call, token: null },
        { ...call, token: 'wrong' },
        { ...call, headers },
        { ...call, query: { ...call.query, help: '1' } },
      ]) {
        expect([one.name, statusAndBody(await secrets.request(variant))]).toEqual([
          one.name,
          disabledOnSecondary,
        ])
      }
    }
    expect(world.store.sequence).toBe(before)
  })

  test('paths without a row: unknown paths, other verbs, wrong namespaces, a bare mount', async () => {
    const { secrets } = await secondary()
    const calls = [
      ['GET', 'nowhere/at/all'],
      ['GET', 'sys/nowhere'],
      ['GET', 'secret/'],
      ['DELETE', 'kv/x'],
      ['DELETE', 'sys/replication/dr/status'],
      ['GET', 'sys/replication/dr/secondary/promote'],
      ['POST', 'sys/replication/status'],
      ['PATCH', 'secret/data/x'],
      ['PUT', 'kv/x'],
    ] as const
    for (const [method, path] of calls) {
      const headers = { 'content-type': 'application/merge-patch+json' }
      const payload = method === 'GET' || method === 'DELETE' ? undefined : '{}'
      const reply = await secrets.request({ method, path, payload, headers })
      expect([path, statusAndBody(reply)]).toEqual([path, disabledOnSecondary])
    }
  })

  test.each(named(operations.filter(({ name }) => listed.includes(name))))(
    '%s answers without a client token and with a bad one',
    async (_, one) => {
      const { secrets } = await secondary()
      for (const token of [null, 'wrong', 'root']) {
        const reply = await secrets.request({ ...callOf(one), token })
        expect(reply.status).not.toBe(403)
        expect(reply.body?.errors).not.toEqual(disabledOnSecondary.body.errors)
      }
    },
  )

  test('help of an open path is gated: it needs a client token', async () => {
    const { secrets } = await secondary()
    const reply = await secrets.get('sys/replication/dr/status', { query: { help: '1' } })
    expect(statusAndBody(reply)).toEqual(disabledOnSecondary)
  })

  test('a body that cannot be parsed comes before the gate (behaviour/secrets#order-of-checks)', async () => {
    const { secrets } = await secondary()
    expect(statusAndBody(await secrets.post('kv/x', '{'))).toEqual(error(400, 'error parsing JSON'))
    expect(statusAndBody(await secrets.post('kv/x/', {}))).toEqual(
      error(400, "cannot write to a path ending in '/'"),
    )
  })

  test('generate-public-key needs a client token on any other cluster', async () => {
    const { secrets } = await servedSecrets()
    const path = `${dr}/secondary/generate-public-key`
    for (const mode of ['disabled', 'primary']) {
      if (mode === 'primary') await secrets.post(`${dr}/primary/enable`)
      for (const token of [null, 'wrong']) {
        expect(statusAndBody(await secrets.post(path, {}, { token }))).toEqual(
          error(403, 'permission denied'),
        )
      }
      expect((await secrets.post(path)).status).toBe(200)
    }
  })

  test('a secondary in sync is gated too, until it is promoted', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    await follow(first, second)
    expect(statusAndBody(await second.secrets.get('kv/a'))).toEqual(disabledOnSecondary)
    const dr_operation_token = createOperationToken(second.world)
    await second.secrets.post(`${dr}/secondary/promote`, { dr_operation_token })
    expect((await second.secrets.get('kv/a')).body.data).toEqual({ x: 1 })
  })
})
