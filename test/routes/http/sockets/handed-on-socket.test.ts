import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HandedOnSocket } from '../../../../routes/http/sockets/handed-on-socket.ts'

/** Returns both ends of a connection, neither of which ends automatically. */
async function pair(): Promise<{ client: Socket; raw: Socket }> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const client = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true })
  const raw = await accepted
  // Node's HTTP server also leaves a listener on a socket whose parser gave up.
  raw.on('error', () => {})
  client.on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    raw.destroy()
    server.close()
  })
  return { client, raw }
}

const closed = (stream: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', resolve)
  })

describe('behaviour/program#http: a socket passed to a new parser', () => {
  test('delivers its first bytes, then the data of the client, then the end', async () => {
    const { client, raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first '), 'LIST')
    client.end('second')

    let text = ''
    for await (const chunk of handedOn) text += chunk

    expect(text).toBe('first second')
  })

  test('ends if the client ended before', async () => {
    const { client, raw } = await pair()
    client.end()
    raw.resume()
    await once(raw, 'end')
    const handedOn = new HandedOnSocket(raw, Buffer.from('first'), 'LIST')

    let text = ''
    for await (const chunk of handedOn) text += chunk

    expect(text).toBe('first')
  })

  test('returns its mark once', async () => {
    const { raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first'), 'LIST')

    expect([handedOn.takeMark(), handedOn.takeMark()]).toEqual(['LIST', undefined])
  })

  test('closes with the socket, with its error if there is one', async () => {
    const plain = await pair()
    const broken = await pair()
    const handedOn = new HandedOnSocket(plain.raw, Buffer.from('first'), 'LIST')
    const failing = new HandedOnSocket(broken.raw, Buffer.from('first'), 'LIST')
    const failed = once(failing, 'error')

    plain.raw.destroy()
    broken.raw.destroy(new Error('broken'))

    await closed(handedOn)
    expect(handedOn.errored).toBeNull()
    expect(await failed).toEqual([new Error('broken')])
  })

  test('closes the socket once everything is written, though the client does not', async () => {
    const { client, raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first'), 'LIST')
    const large = 8 * 1024 * 1024
    let received = 0
    client.on('data', (chunk) => {
      received += chunk.length
    })
    handedOn.cork()
    handedOn.write('text', 'latin1')
    handedOn.write(Buffer.alloc(large))
    handedOn.uncork()

    const ended = once(client, 'end')
    handedOn.destroySoon()
    await Promise.all([closed(handedOn), closed(raw), ended])

    expect(received).toBe(4 + large)
  })

  test('ends the socket and keeps its other direction open', async () => {
    const { client, raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.alloc(0), 'LIST')
    client.resume()

    handedOn.end('last')
    await once(client, 'end')
    client.end('reply')
    const [chunk] = await once(handedOn, 'data')

    expect(String(chunk)).toBe('reply')
  })

  test('returns unread bytes on release, closes and keeps the socket open', async () => {
    const { client, raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first '), 'LIST')
    client.write('second')
    handedOn.setTimeout(1_000)

    const unread = handedOn.release()
    await closed(handedOn)
    handedOn.setTimeout(5)
    const next = new HandedOnSocket(raw, unread, 'HELP')

    expect(unread.toString()).toMatch(/^first /)
    expect(raw.destroyed).toBe(false)
    expect(raw.timeout).toBe(0)
    let text = ''
    client.end()
    for await (const chunk of next) text += chunk
    expect(text).toBe('first second')
  })

  test('notifies its listener of an idle timeout until the timeout is removed', async () => {
    const { raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first'), 'LIST')
    const notifications: string[] = []
    const listener = (): number => notifications.push('taken back')

    handedOn.setTimeout(10, listener)
    handedOn.setTimeout(0, listener)
    expect(raw.timeout).toBe(0)
    const expired = new Promise<void>((resolve) => handedOn.setTimeout(10, resolve))
    expect(raw.timeout).toBe(10)

    await expired
    expect(notifications).toEqual([])
  })

  test('passes socket options on', async () => {
    const { raw } = await pair()
    const handedOn = new HandedOnSocket(raw, Buffer.from('first'), 'LIST')

    expect(handedOn.setNoDelay(true).setKeepAlive(true, 1_000)).toBe(handedOn)
  })
})
