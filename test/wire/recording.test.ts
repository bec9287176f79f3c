import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compareReplies } from '../fuzz/recording/compare.ts'
import { type Exchange, RecordingWriter, readRecording } from '../fuzz/recording/format.ts'
import { Recorder } from '../fuzz/recording/recorder.ts'
import { linesAbout, replay } from '../fuzz/recording/replay.ts'
import { recordScript } from '../fuzz/recording/scripted.ts'
import { logins } from '../fuzz/recording/scripts/logins.ts'
import { RecordedServer } from '../fuzz/recording/server.ts'
import { startOf } from '../fuzz/recording/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-recording-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function record(dialect: 'neutral' | 'vendor'): Promise<string> {
  const file = join(folder, `${dialect}.jsonl.gz`)
  const start = startOf({ dialect })
  const server = await RecordedServer.start(start)
  const writer = new RecordingWriter(file)
  await writer.write(start)
  const recorder = new Recorder(server, writer)
  await recordScript(recorder, logins, dialect)
  await recorder.finishBatch()
  await writer.close()
  await server.stop()
  return file
}

/** Copies a recording with changed replies, and returns the path of the copy. */
async function changed(file: string, change: (exchange: Exchange) => Exchange): Promise<string> {
  const other = join(folder, 'changed.jsonl')
  const { start, exchanges } = await readRecording(file)
  const writer = new RecordingWriter(other)
  await writer.write(start)
  for await (const exchange of exchanges) await writer.write(change(exchange))
  await writer.close()
  return other
}

describe('recorded runs', () => {
  test.each(['neutral', 'vendor'] as const)('%s: a replay has no differences', async (dialect) => {
    const { differences, requests, explanations } = await replay(await record(dialect))
    expect(differences).toEqual([])
    expect(requests).toBeGreaterThan(80)
    expect(explanations).toBeGreaterThan(0)
  })

  test('differences are listed by operation, status and place', async () => {
    const file = await changed(await record('neutral'), (exchange) => {
      const { operation, reply } = exchange
      const body = String(reply.body)
      if (operation === 'secrets userpassReadUser') {
        return { ...exchange, reply: { ...reply, body: body.replace('"reads"', '"other"') } }
      }
      if (exchange.comparison !== 'explanation') return exchange
      return { ...exchange, reply: { ...reply, body: body.replace(/"rule":"/, '$&no-') } }
    })
    const { differences } = await replay(file)
    const kinds = new Set(differences.map(({ operation, place }) => `${operation}: ${place}`))
    expect([...kinds].sort()).toEqual([
      'combined GET: body/rule',
      'secrets userpassReadUser: body/data/token_policies/*',
    ])
    expect(linesAbout(differences)).toContain(
      'secrets userpassReadUser, 200: body/data/token_policies/* (1)',
    )
  })
})

describe('comparison of replies', () => {
  const exchange = (body: object, others: Partial<Exchange> = {}): Exchange => ({
    request: { listener: 'secrets', method: 'GET', url: '/', headers: {} },
    reply: { status: 200, headers: [['Date', 'then']], body: JSON.stringify(body) },
    comparison: 'exact',
    ...others,
  })
  const place = (one: Exchange, other: Exchange) => compareReplies(one, other.reply).place

  test('replies are compared byte by byte, except times and random values', () => {
    const [one, other] = [exchange({ a: [{ b: 1 }] }), exchange({ a: [{ b: 2 }] })]
    expect(place(one, { ...one, reply: { ...one.reply, headers: [['Date', 'now']] } })).toBe(
      undefined,
    )
    expect(place(one, other)).toBe('body/a/*/b')
    expect(place(exchange({ a: 1, b: 2 }), exchange({ b: 2, a: 1 }))).toBe(
      'body (order of members)',
    )
    const roots = [exchange({ merkle_root: 'a', n: 1 }), exchange({ merkle_root: 'b', n: 1 })]
    expect(
      roots.map((root) => compareReplies(exchange({ merkle_root: 'a', n: 1 }), root.reply)),
    ).toEqual([{ skipped: true }, { skipped: true }])
    const more = exchange({ merkle_root: 'b', n: 2 })
    expect(place(exchange({ merkle_root: 'a', n: 1 }), more)).toBe('body/n')
  })

  test('replies of the control plane are compared by the names of members', () => {
    const names = { comparison: 'names' } as const
    expect(place(exchange({ a: [1] }, names), exchange({ a: [2, 3] }))).toBe(undefined)
    expect(place(exchange({ a: [1] }, names), exchange({ b: [1] }))).toBe('member /a')
  })

  test('documents are compared by their operations', () => {
    const document = (summary: string, name: string) => ({
      paths: { '/a': { get: { operationId: 'a', summary, parameters: [{ in: 'query', name }] } } },
    })
    const recorded = exchange(document('x', 'q'), { comparison: 'document' })
    expect(place(recorded, exchange(document('y', 'q')))).toBe(undefined)
    expect(place(recorded, exchange(document('x', 'r')))).toBe('operation get /a a query q ')
  })
})
