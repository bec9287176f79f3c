import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { WireClient } from '../wire-client.ts'

const body = JSON.stringify({ data: { at: 'last' } })
const head = 'Host: localhost\r\nX-Secrets-Token: root\r\n'
const write = `POST /v1/secret/data/a HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n`
const read = `GET /v1/secret/data/a HTTP/1.1\r\n${head}\r\n`

async function client(): Promise<WireClient> {
  const understudy = await createUnderstudy({ seed: 'test' })
  onTestFinished(() => understudy.close())
  const { port } = new URL(await understudy.listen())
  return WireClient.open({ port: Number(port) })
}

describe('behaviour/program#in-order: the requests of a connection', () => {
  test('a read after a write with a body sees the written data', async () => {
    const wire = await client()
    await wire.send(write + body + read)
    const [written, seen] = await wire.answers(2)
    expect([written?.status, seen?.status]).toEqual([200, 200])
    expect(JSON.parse(seen?.body ?? '').data.data).toEqual({ at: 'last' })
  })

  test('later requests wait for a body that arrives late', async () => {
    const wire = await client()
    await wire.send(write + body.slice(0, 5))
    await wire.send(body.slice(5) + read + write + body + read)
    const statuses = (await wire.answers(4)).map(({ status, body: text }) => [
      status,
      JSON.parse(text).data.version ?? JSON.parse(text).data.metadata.version,
    ])
    expect(statuses).toEqual([
      [200, 1],
      [200, 1],
      [200, 2],
      [200, 2],
    ])
  })

  test('a read before a write sees the old data, and the write is done', async () => {
    const wire = await client()
    await wire.send(read + write + body + read)
    expect((await wire.answers(3)).map(({ status }) => status)).toEqual([404, 200, 200])
  })
})
