import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Api, apiForTarget } from './api.ts'
import { targetInWorld, type WorldIndex, worldNameOf } from './journal-hooks/request-head.ts'
import type { RawReply, RequestHead } from './journal-hooks/request-record.ts'
import { type RequestRecorder, requestHeader } from './journal-hooks/request-recording.ts'

/** An error of Node's parser, with the bytes that it stopped at. */
type ParseError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/** A request with a verb that Node's parser does not know, as far as its head has come. */
const requestHead = /^([A-Za-z]+) ([^ ]+) HTTP\/1\.[01]\r\n([\s\S]*?)(?:\r\n\r\n|$)/

interface Dependencies {
  readonly worlds: WorldIndex
  readonly recorder: RequestRecorder
  /** In order of precedence. */
  readonly apis: readonly Api[]
}

/** Answers what Node made no request of, by hand and on the socket. */
export class RawReplies {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Answers what Node could not parse: an unknown verb as the API does, what is no HTTP as Node does. */
  refuse(error: ParseError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const head = headOf(String(error.rawPacket ?? ''))
    if (socket.writable) {
      if (head === undefined) {
        socket.write(textOf({ status: statusOf(error), headers: {}, body: '' }))
      } else {
        const isVerb = error.code === 'HPE_INVALID_METHOD'
        socket.write(this.#answer(head, isVerb ? undefined : statusOf(error)))
      }
    }
    socket.destroy(error)
  }

  /** Answers a verb that no API has. */
  refuseVerb(head: RequestHead, socket: Duplex): void {
    socket.end(this.#answer(head, undefined))
  }

  /**
   * The answer to a request that was read so far, which is noted as one of the API's.
   *
   * @param status instead of the one for unknown verbs, for what breaks off in the middle of its head
   */
  #answer(head: RequestHead, status: number | undefined): string {
    const { worlds, recorder, apis } = this.#dependencies
    const api = apiForTarget(apis, targetInWorld(head.target))
    const declared = api.unknownVerb?.(head.method) ?? { status: 405, headers: {}, body: '' }
    const reply = { ...declared, status: status ?? declared.status }
    const world = worlds.find(worldNameOf(head))
    if (api.outsideWorlds === true || world === undefined) return textOf(reply)
    const record = recorder.open(world, api, head)
    record.answeredRaw(reply)
    recorder.close(record)
    return textOf({ ...reply, headers: { ...reply.headers, [requestHeader]: record.id } })
  }
}

function headOf(text: string): RequestHead | undefined {
  const [, method, target, lines = ''] = requestHead.exec(text) ?? []
  if (method === undefined || target === undefined) return undefined
  const headers: IncomingHttpHeaders = {}
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { method, target, headers }
}

function statusOf({ code }: ParseError): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
}

function textOf({ status, headers, body }: RawReply): string {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
