import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { setAlarm } from '../../state/kernel/time.ts'
import { clientSocketOf } from '../http/sockets/client-socket.ts'

/** Bytes that are neither JSON nor text. */
const garbage = Buffer.from([0x00, 0xff, 0x7b, 0x22, 0xfe, 0x0a, 0x5b, 0x80, 0x7d, 0x00])

/** Interval in milliseconds between the pieces of a slow body. */
const pieceInterval = 50

/** Ends a connection with a TCP reset. */
export function resetConnection(reply: FastifyReply): void {
  reply.hijack()
  const { raw } = reply
  const resetSocket = () => clientSocketOf(raw)?.resetAndDestroy()
  // A pipelined response gets its socket only after the responses before it have ended.
  if (raw.socket === null) raw.once('socket', resetSocket)
  else resetSocket()
  // Destroying the response ends the request even if the response never gets a socket.
  raw.destroy()
}

export function destroyConnection(reply: FastifyReply): void {
  reply.raw.destroy()
  reply.raw.socket?.destroy()
}

/**
 * Sends the headers of the complete answer and the first `at` bytes of its body, then closes the
 * connection.
 */
export async function sendTruncated(
  reply: FastifyReply,
  payload: unknown,
  at: number,
): Promise<void> {
  const body = await bytesOf(payload)
  sendHead(reply, body.length)
  // The headers are sent even if no byte of the body is sent.
  reply.raw.flushHeaders()
  reply.raw.write(body.subarray(0, at), () => destroyConnection(reply))
  if (body.length === 0 || at === 0) setAlarm(0, () => destroyConnection(reply))
}

/** Sends the answer at the given rate, in pieces of at least one byte. */
export async function sendSlowly(
  reply: FastifyReply,
  payload: unknown,
  bytesPerSecond: number,
): Promise<void> {
  const body = await bytesOf(payload)
  const size = Math.max(1, Math.round((bytesPerSecond * pieceInterval) / 1000))
  const interval = (size / bytesPerSecond) * 1000
  const { raw } = reply
  sendHead(reply, body.length)
  raw.flushHeaders()
  const send = (from: number): void => {
    if (raw.destroyed) return
    if (from >= body.length) return void raw.end()
    setAlarm(Math.min(interval, ((body.length - from) / bytesPerSecond) * 1000), () => {
      raw.write(body.subarray(from, from + size))
      send(from + size)
    })
  }
  send(0)
}

/** Sets the status to 200 and returns unreadable bytes, which replace the body. */
export function garbageBody(reply: FastifyReply): Buffer {
  reply.code(200)
  return garbage
}

function sendHead(reply: FastifyReply, length: number): void {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && name !== 'transfer-encoding') raw.setHeader(name, value)
  }
  raw.setHeader('content-length', length)
  raw.statusCode = reply.statusCode
}

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (payload === undefined || payload === null) return Buffer.alloc(0)
  if (Buffer.isBuffer(payload)) return payload
  if (!(payload instanceof Readable)) return Buffer.from(String(payload))
  const pieces: Buffer[] = []
  for await (const piece of payload) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
