import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { drainEventLoop } from '../../support/blocked-reads.ts'
import { notFound } from '../../support/platform/platform-tests.ts'
import {
  answerTo,
  mebibyte,
  uploadServer,
  writeRepeatedly,
} from '../../support/platform/uploads.ts'

const tooLarge = { errors: [{ status: '413', title: 'payload too large' }] }

describe('behaviour/platform#uploads: uploads stream in', () => {
  test('a body with too large a content-length gets 413 before it is sent', async () => {
    const { put, statusOf } = await uploadServer({ maxUploadBytes: mebibyte })
    const sent = put({ 'content-length': 64 * mebibyte })
    sent.flushHeaders()
    const reply = await answerTo(sent)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([413, tooLarge])
    sent.destroy()
    expect(await statusOf()).toBe('pending')
  })

  test('a chunked body that becomes too large gets 413, its rest is read, and the connection stays open', async () => {
    const { origin, url, statusOf } = await uploadServer({ maxUploadBytes: mebibyte })
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let answers = ''
    socket.on('data', (bytes) => {
      answers += String(bytes)
    })
    /** Sends a body in one chunk and waits for the end of an answer. */
    const put = async (body: Buffer, answer: RegExp) => {
      const head = `PUT ${new URL(url).pathname} HTTP/1.1\r\nHost: mock\r\n`
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`)
      socket.write(body)
      socket.write('\r\n0\r\n\r\n')
      while (!answer.test(answers)) await once(socket, 'data')
    }
    await put(Buffer.alloc(8 * mebibyte), /^HTTP\/1\.1 413 .*\}$/s)
    expect(JSON.parse(answers.slice(answers.indexOf('\r\n\r\n')))).toEqual(tooLarge)
    expect(await statusOf()).toBe('pending')
    await put(Buffer.alloc(mebibyte), /\}HTTP\/1\.1 200 .*\r\n\r\n$/s)
    expect(await statusOf()).toBe('uploaded')
  })

  test('the version stays pending if the client disconnects midway', async () => {
    const { app, put, statusOf } = await uploadServer()
    const gone = new Promise((resolve) => {
      app.server.once('request', (incoming) => incoming.once('close', resolve))
    })
    const sent = put({ 'content-length': 4 * mebibyte })
    sent.on('error', () => {})
    await writeRepeatedly(sent, Buffer.alloc(mebibyte), 2)
    sent.destroy()
    await gone
    expect(await statusOf()).toBe('pending')
    const again = put()
    again.end('files')
    expect((await answerTo(again)).status).toBe(200)
    expect(await statusOf()).toBe('uploaded')
  })

  test('behaviour/platform#configuration-versions: of two concurrent uploads, the last to end replaces the first', async () => {
    const { put, statusOf } = await uploadServer()
    const other = new Agent()
    onTestFinished(() => other.destroy())
    const slow = put()
    await writeRepeatedly(slow, Buffer.alloc(mebibyte), 1)
    const fast = put({}, other)
    fast.end('files')
    expect((await answerTo(fast)).status).toBe(200)
    slow.end()
    expect(await answerTo(slow)).toEqual({ status: 200, text: '' })
    expect(await statusOf()).toBe('uploaded')
  })

  // choice/platform#upload-order-of-checks
  test('the state of the version is checked again at the end of an upload, but the expiry of its URL is not', async () => {
    for (const [state, status] of [
      ['uploaded', 200],
      ['errored', 409],
    ] as const) {
      const { app, put, world, clock, id } = await uploadServer()
      const begun = once(app.server, 'request')
      const sent = put()
      await writeRepeatedly(sent, Buffer.alloc(mebibyte), 1)
      await begun
      await drainEventLoop()
      world.transitions.get('platform.configuration-version')?.force(world, id, state, {})
      clock.advance(26 * 60 * 60 * 1000)
      sent.end()
      expect((await answerTo(sent)).status).toBe(status)
    }
  })

  test('an upload gets 404 if the world is reset midway', async () => {
    const { put, world } = await uploadServer()
    const sent = put()
    await writeRepeatedly(sent, Buffer.alloc(mebibyte), 1)
    world.reset()
    sent.end()
    const reply = await answerTo(sent)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([404, notFound])
  })

  test('Expect: 100-continue is answered, and HEAD gets 404 without a body', async () => {
    const { put, url } = await uploadServer()
    const sent = put({ expect: '100-continue', 'content-length': 5 })
    sent.flushHeaders()
    await once(sent, 'continue')
    sent.end('files')
    expect(await answerTo(sent)).toEqual({ status: 200, text: '' })
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([404, ''])
  })
})
