import type { IncomingMessage, RequestListener } from 'node:http'
import type { RawReply, RequestHead } from '../journal-hooks/request-record.ts'

/** Headers of the plain-text replies that the server sends without involving an API. */
const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/**
 * Returns a listener that refuses requests that Node's parser accepts but Go's server does not,
 * before an API receives them (behaviour/program#receiving).
 * @param record records a refused request and returns headers to add to the reply
 */
export function strictFraming(
  handler: RequestListener,
  record: (head: RequestHead, reply: RawReply) => RawReply['headers'],
): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request)
    if (refusal === undefined) {
      handler(request, response)
      return
    }
    const { method = '', url: target = '', headers } = request
    const addedHeaders = record({ method, target, headers }, refusal)
    const framingHeaders = {
      'content-length': Buffer.byteLength(refusal.body),
      connection: 'close',
    }
    response.writeHead(refusal.status, { ...refusal.headers, ...addedHeaders, ...framingHeaders })
    response.end(refusal.body)
  }
}

function refusalOf(request: IncomingMessage): RawReply | undefined {
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unsupportedCodingReply
  return hasSeveralHosts(request.rawHeaders) ? severalHostsReply : undefined
}

/** Reply that refuses any transfer coding other than a single `chunked`. */
const unsupportedCodingReply: RawReply = {
  status: 501,
  headers: plainText,
  body: 'Unsupported transfer encoding',
}

const severalHostsReply: RawReply = {
  status: 400,
  headers: plainText,
  body: '400 Bad Request: too many Host headers',
}

/**
 * Returns whether a raw list of headers, in which names and values alternate, has more than one
 * `Host`.
 */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
