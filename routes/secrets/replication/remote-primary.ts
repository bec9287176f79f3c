import type { IncomingMessage } from 'node:http'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import type { SecondaryIntroduction } from '../../../state/secrets/replication/secondaries.ts'
import { type Exchange, send, sendAndRead } from '../../http/http-exchange.ts'
import { type ReplicationScope, readMessage, replicationPrefix } from './messages.ts'
import {
  heartbeatInterval,
  PrimaryFailure,
  type PrimaryPeer,
  type StreamRequest,
} from './primary-peer.ts'

/** Address of a primary and settings for requests to it. */
interface RemoteSettings {
  /** Origin and world prefix of the primary. */
  readonly address: string
  /**
   * Certificates in PEM format that are trusted instead of the default root certificates; if empty,
   * the defaults are trusted.
   */
  readonly ca: readonly string[]
  /** Maximum time without data, in milliseconds of real time. */
  readonly timeout: number
  readonly scope: ReplicationScope
}

/**
 * Maximum length of a line in characters. A row with the content of the largest possible request
 * fits.
 */
const maxLineLength = 64 * 1024 * 1024

/** A primary in another process, which is reached over HTTP. */
export class RemotePrimary implements PrimaryPeer {
  readonly #settings: RemoteSettings

  constructor(settings: RemoteSettings) {
    this.#settings = settings
  }

  unwrap(token: string): Promise<string> {
    return this.#post('/v1/sys/wrapping/unwrap', {
      'x-secrets-token': token,
      'x-secrets-request': 'true',
    })
  }

  async activate(credential: string, secondaryInfo: SecondaryIntroduction): Promise<void> {
    const authorization = `Bearer ${credential}`
    await this.#post(`${replicationPrefix}/activate`, { authorization }, secondaryInfo)
  }

  async *stream(
    { credential, position, root }: StreamRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ReplicationMessage> {
    const known =
      position === undefined ? {} : { feed: position.feed, sequence: `${position.sequence}` }
    const query = new URLSearchParams({ root, ...known })
    const response = await send({
      ...this.#exchange('GET', `${replicationPrefix}/stream?${query}`),
      timeout: Math.max(this.#settings.timeout, 3 * heartbeatInterval),
      headers: { authorization: `Bearer ${credential}` },
      signal,
    })
    if (response.statusCode !== 200) {
      response.destroy()
      throw new PrimaryFailure(response.statusCode ?? 0, 'the primary refused the connection')
    }
    const { scope } = this.#settings
    for await (const line of linesOf(response)) yield readMessage(line, scope)
  }

  async #post(path: string, headers: Record<string, string>, body: object = {}): Promise<string> {
    const exchange = this.#exchange('POST', path)
    const { status, text } = await sendAndRead({
      ...exchange,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (status >= 300) throw new PrimaryFailure(status, text)
    return text
  }

  #exchange(method: Exchange['method'], path: string): Omit<Exchange, 'headers'> {
    const { address, ca, timeout } = this.#settings
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
      throw new Error(`"${address}" is not an address of an API`)
    }
    return { method, url: `${trimEndOf(address, '/')}${path}`, ca, timeout }
  }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of response.setEncoding('utf8')) {
    rest += chunk
    if (rest.length > maxLineLength) throw new Error('the primary sent an endless line')
    // A long line arrives in many chunks. The text is split only after a line break, not again for
    // every chunk.
    if (!chunk.includes('\n')) continue
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new Error('the primary broke off in the middle of a line')
}
