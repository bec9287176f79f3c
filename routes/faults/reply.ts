import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { setAlarm } from '../../state/kernel/time.ts'
import { clientSocketOf } from '../http/sockets/client-socket.ts'

/** Bytes that are no JSON, nor text. */
const garbage = Buffer.from([0x00, 0xff, 0x7b, 0x22, 0xfe, 0x0a, 0x5b, 0x80, 0x7d, 0x00])

/** Slow bodies are sent in pieces, one in each interval of so many milliseconds. */
const pieceTime = 50

/** Ends a connection with a TCP reset. */
export function reset(reply: FastifyReply): void {
  reply.hijack()
  const { raw } = reply
  const cut = () => clientSocketOf(raw)?.resetAndDestroy()
  // Behind others on its connection it has none before its turn.
  if (raw.socket === null) raw.once('socket', cut)
  else cut()
  // Without a socket, too, whoever waits for the answer is told.
  raw.destroy()
}

/** Ends a connection without a word. */
export function destroyConnection(reply: FastifyReply): void {
  reply.raw.destroy()
  reply.raw.socket?.destroy()
}

/** Sends the head of the whole answer and the beginning of its body, and ends the connection. */
export async function truncate(reply: FastifyReply, payload: unknown, at: number): Promise<void> {
  const body = await bytesOf(payload)
  sendHead(reply, body.length)
  // Even without a byte of the body the head goes out.
  reply.raw.flushHeaders()
  reply.raw.write(body.subarray(0, at), () => destroyConnection(reply))
  if (body.length === 0 || at === 0) setAlarm(0, () => destroyConnection(reply))
}

/** Sends the answer piece by piece. */
export async function trickle(
  reply: FastifyReply,
  payload: unknown,
  bytesPerSecond: number,
): Promise<void> {
  const body = await bytesOf(payload)
  const size = Math.max(1, Math.round((bytesPerSecond * pieceTime) / 1000))
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

/** What is sent in place of an answer: 200 and bytes that nobody can read. */
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
