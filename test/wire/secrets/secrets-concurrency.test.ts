import { Agent } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { error } from '../../routes/secrets/replies.ts'
import { startSecrets, statusAndBody } from './secrets-server.ts'

/** Number of connections, and of writers that write at the same time. */
const connections = 100
const rounds = 10

describe('behaviour/secrets#api-kv2: check-and-set under a thousand writers', () => {
  test('of a hundred writers that expect one version, exactly one creates the next', async () => {
    const { call } = await startSecrets()
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    onTestFinished(() => agent.destroy())
    const write = (cas: number, writer: number) =>
      call('POST', 'secret/data/contested', {
        body: { data: { writer }, options: { cas } },
        agent,
      })
    const winners: number[] = []
    for (let round = 0; round < rounds; round++) {
      const writers = Array.from({ length: connections }, (_, at) => round * connections + at)
      const replies = await Promise.all(writers.map((writer) => write(round, writer)))
      const winner = replies.findIndex(({ status }) => status === 200)
      expect(replies[winner]?.body.data.version).toBe(round + 1)
      expect(replies.toSpliced(winner, 1).map(statusAndBody)).toEqual(
        Array(connections - 1).fill(
          error(400, 'check-and-set parameter did not match the current version'),
        ),
      )
      winners.push(round * connections + winner)
    }
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(connections)

    const { data } = (await call('GET', 'secret/metadata/contested')).body
    expect([data.current_version, Object.keys(data.versions)]).toEqual([
      rounds,
      winners.map((_, at) => String(at + 1)),
    ])
    for (const [at, writer] of winners.entries()) {
      const read = await call('GET', `secret/data/contested?version=${at + 1}`)
      expect(read.body.data.data).toEqual({ writer })
    }
  })

  test('a thousand writers that expect no version create exactly one', async () => {
    const { call } = await startSecrets()
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    onTestFinished(() => agent.destroy())
    const replies = await Promise.all(
      Array.from({ length: rounds * connections }, (_, writer) =>
        call('PUT', 'secret/data/first', {
          body: { data: { writer }, options: { cas: 0 } },
          agent,
        }),
      ),
    )
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(new Set(replies.toSpliced(winner, 1).map(({ status }) => status))).toEqual(
      new Set([400]),
    )
    const { data } = (await call('GET', 'secret/data/first')).body.data
    expect(data).toEqual({ writer: winner })
    expect((await call('GET', 'secret/metadata/first')).body.data.current_version).toBe(1)
  })
})
