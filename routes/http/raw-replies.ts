import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Api, apiForTarget } from './api.ts'
import { targetInWorld, type WorldIndex, worldNameOf } from './journal-hooks/request-head.ts'
import type { RawReply, RequestHead } from './journal-hooks/request-record.ts'
import { type RequestRecorder, requestIdHeader } from './journal-hooks/request-recording.ts'

/** An error of Node's parser, with the bytes at which the parser stopped. */
type ParseError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/** Pattern of the start of a request that Node's parser refused. The head may be incomplete. */
const requestHead = /^([A-Za-z]+) ([^ ]+) HTTP\/1\.[01]\r\n([\s\S]*?)(?:\r\n\r\n|$)/

interface Dependencies {
  readonly worlds: WorldIndex
  readonly recorder: RequestRecorder
  /** APIs in order of precedence. */
  readonly apis: readonly Api[]
  /**
   * Observer of input that is not an HTTP request: receives the kind of the error and a
   * description.
   */
  readonly onUnparsableInput?: ((kind: string, detail: string) => void) | undefined
  /** Observer of requests whose world does not exist: receives the name of that world. */
  readonly onUnknownWorld?: ((name: string | undefined, head: RequestHead) => void) | undefined
}

/**
 * Writer of responses to input that Node did not accept as a request. The writer uses the socket
 * directly.
 */
export class RawReplies {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Answers input that Node could not parse, and destroys the socket. If the head of a request is
   * readable, the API of the request answers, and the request is recorded. Other input is reported
   * to `onUnparsableInput` and gets an empty answer with a status for the kind of the error. If the
   * client reset the connection, or the socket is not writable, nothing is sent.
   */
  refuse(error: ParseError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const head = headOf(String(error.rawPacket ?? ''))
    if (socket.writable) {
      if (head === undefined) {
        this.#dependencies.onUnparsableInput?.(...describeParseError(error))
        socket.write(textOf({ status: statusOf(error), headers: {}, body: '' }))
      } else {
        const isVerb = error.code === 'HPE_INVALID_METHOD'
        socket.write(this.#answer(head, isVerb ? undefined : statusOf(error)))
      }
    }
    socket.destroy(error)
  }

  /** Answers and records a request whose method belongs to no API, and ends the connection. */
  refuseVerb(head: RequestHead, socket: Duplex): void {
    socket.end(this.#answer(head, undefined))
  }

  /**
   * Returns the response to a request that was only partly read. Records the request in the journal
   * of its API.
   *
   * @param status status of the response; if undefined, the status with which the API answers
   *   unknown methods
   */
  #answer(head: RequestHead, status: number | undefined): string {
    const api = apiForTarget(this.#dependencies.apis, targetInWorld(head.target))
    const declared = api.unknownVerb?.(head.method) ?? { status: 405, headers: {}, body: '' }
    const reply = { ...declared, status: status ?? declared.status }
    return textOf({ ...reply, headers: { ...reply.headers, ...this.record(head, reply) } })
  }

  /**
   * Records a request that did not reach an API. Returns the header with the id of the request. If
   * the API is outside of worlds or the world does not exist, nothing is recorded and no header is
   * returned. A missing world is reported to `onUnknownWorld`.
   */
  record(head: RequestHead, reply: RawReply): RawReply['headers'] {
    const { worlds, recorder, apis } = this.#dependencies
    const api = apiForTarget(apis, targetInWorld(head.target))
    const world = worlds.find(worldNameOf(head))
    if (api.outsideWorlds === true) return {}
    if (world === undefined) {
      this.#dependencies.onUnknownWorld?.(worldNameOf(head), head)
      return {}
    }
    const record = recorder.open(world, api, head)
    record.recordRawAnswer(reply)
    recorder.close(record)
    return { [requestIdHeader]: record.id }
  }
}

/** Returns the kind and a description of an error of the parser. */
function describeParseError({
  message,
  rawPacket,
}: ParseError): readonly [kind: string, detail: string] {
  // The bytes are the record type (0x16) and the major version (3) of a TLS handshake.
  const isTls = rawPacket?.[0] === 0x16 && rawPacket[1] === 3
  return isTls
    ? ['tls-error', 'The client speaks TLS, and the port does not']
    : ['parse-error', message]
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
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return 501
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
