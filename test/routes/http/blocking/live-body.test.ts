import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { LiveBody } from '../../../../routes/http/blocking/live-body.ts'

/** Returns a body that nobody reads, with the number of times that it has ended. */
function unread() {
  const ends: number[] = []
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const body = new LiveBody(response, () => void ends.push(1))
  return { body, ends }
}

const mebibyte = 'x'.repeat(1024 * 1024)

// choice/process#event-slow-reader
test('behaviour/program#events: a reader with more than a mebibyte of backlog is disconnected', async () => {
  const { body, ends } = unread()
  body.start([])
  body.send(mebibyte)
  expect(body.destroyed).toBe(false)
  body.send('x')
  expect(body.destroyed).toBe(true)
  await expect.poll(() => ends.length).toBe(1)
  // Later pieces have no reader.
  body.send('x')
  body.end()
})

// choice/process#event-slow-reader
test('behaviour/program#events: the initial content may be larger', () => {
  const { body } = unread()
  body.start([mebibyte, mebibyte, mebibyte])
  body.send(mebibyte)
  expect(body.destroyed).toBe(false)
  body.send('x')
  expect(body.destroyed).toBe(true)
})
