import { describe, expect, test } from 'vitest'
import { start } from '../../support/command.ts'
import { requestText, WireClient } from '../wire-client.ts'

const section = 'behaviour/scheduler#files'

/** Starts the built command with a frozen clock and a task that prints every ten seconds. */
async function printing() {
  const server = await start(['--port=0', '--scheduler-port=0', '--clock=frozen'])
  const port = Number(new URL(server.origins.scheduler).port)
  const control = new URL(server.origins.control).origin
  const advance = async (by: string) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ by })
    const reply = await fetch(`${control}/_mock/clock/advance`, { method: 'POST', headers, body })
    expect(reply.status).toBe(200)
  }
  const client = await WireClient.open({ port })
  const Config = { stdout_string: 'x', stdout_repeat: 9, stdout_repeat_duration: '10s' }
  const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 'mock', Config }] }
  const job = JSON.stringify({ Job: { ID: 'web', TaskGroups: [group] } })
  await client.exchange(requestText('POST', '/v1/jobs', job))
  await advance('1s')
  const list = await client.exchange(requestText('GET', '/v1/job/web/allocations'))
  const id: string = JSON.parse(list.body)[0].ID
  const open = () => WireClient.open({ port })
  const follow = requestText('GET', `/v1/client/fs/logs/${id}?task=t&type=stdout&follow=true`)
  return { ...server, advance, client, open, id, follow }
}

/** Returns the frames received so far of a chunked body. */
function framesIn(text: string): readonly { readonly Offset: number }[] {
  return [...text.matchAll(/\{[^}]*\}/g)].map(([frame]) => JSON.parse(frame))
}

describe(`following logs on sockets (${section})`, () => {
  // choice/scheduler#client-heartbeats
  test('lines arrive when they are printed, and the stream ends with the task', async () => {
    const { advance, client, open, id, follow } = await printing()
    const reader = await open()
    await reader.send(follow)
    await reader.waitFor('"Offset":1}')
    expect(reader.unread).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(reader.unread).toMatch(/\r\ncontent-type: application\/json\r\n/i)
    await advance('10s')
    await reader.waitFor('"Offset":2}')
    await client.exchange(requestText('POST', `/v1/allocation/${id}/stop`))
    await advance('1s')
    await reader.waitFor('\r\n0\r\n\r\n')
    expect(framesIn(reader.unread).map(({ Offset }) => Offset)).toEqual([1, 2])
  })

  test('streams of disconnected clients are dropped, and SIGTERM ends the others', async () => {
    const { advance, client, open, follow, stop } = await printing()
    const [leaver, stayer] = [await open(), await open()]
    await leaver.send(follow)
    await stayer.send(follow)
    await Promise.all([leaver.waitFor('"Offset":1}'), stayer.waitFor('"Offset":1}')])
    leaver.socket.destroy()
    await advance('10s')
    await stayer.waitFor('"Offset":2}')
    expect((await client.exchange(requestText('GET', '/v1/jobs'))).status).toBe(200)
    const ended = await stop('SIGTERM')
    expect(ended.code).toBe(0)
    expect(stayer.closed).toBe(true)
  })
})
