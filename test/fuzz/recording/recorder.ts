import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import {
  type Comparison,
  type Exchange,
  type ListenerName,
  type RecordingWriter,
  textOf,
  type WireReply,
  type WireRequest,
} from './format.ts'
import type { Maker } from './makers.ts'
import type { RecordedServer } from './server.ts'

/** Numbers of requests to an operation and of those that were served. */
interface Tally {
  requests: number
  served: number
}

/** Maximum number of exchanges in a batch. One call looks up the operations of the whole batch. */
const most = 200

/** Recorder that sends requests and writes them with their replies. */
export class Recorder {
  readonly #server: RecordedServer
  readonly #writer: RecordingWriter
  #batch: Exchange[] = []
  #requests = 0
  #explanations = 0
  readonly #tallies = new Map<string, Tally>()
  #paths: readonly {
    readonly listener: ListenerName
    readonly verb: string
    readonly pattern: RegExp
    readonly name: string
  }[] = []

  constructor(server: RecordedServer, writer: RecordingWriter) {
    this.#server = server
    this.#writer = writer
  }

  /** Number of requests sent to the four APIs and, at random, to the control plane. */
  get requests(): number {
    return this.#requests
  }

  get explanations(): number {
    return this.#explanations
  }

  /** Registers the operations of every API, for which requests are counted. */
  know(makers: readonly Maker[]): void {
    for (const { listener, operations } of makers) {
      for (const { id } of operations) {
        this.#tallies.set(nameOf(listener, id), { requests: 0, served: 0 })
      }
    }
    this.#paths = makers.flatMap(({ listener, operations }) =>
      operations.map(({ id, verb, path }) => {
        const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
        return { listener, verb, pattern: new RegExp(`^${pattern}$`), name: nameOf(listener, id) }
      }),
    )
  }

  /** Sends a generated request and records it. If it is refused, also records its explanation. */
  async ask(request: WireRequest): Promise<WireReply> {
    this.#requests += 1
    const isControl = /^\/_mock(\/|\?|$)/.test(request.url)
    const isHelp = /[?&]help=1/.test(request.url) && request.url.startsWith('/v1/')
    const comparison = isControl ? 'names' : isHelp ? 'document' : 'exact'
    const reply = await this.#exchange(request, comparison)
    const [, id] = reply.headers.find(([name]) => /^x-mock-request$/i.test(name)) ?? []
    if (reply.status >= 400 && id !== undefined && !request.url.startsWith('/_world/')) {
      this.#explanations += 1
      await this.read(`/explain/${id}`, 'explanation')
    }
    if (this.#batch.length >= most) await this.finishBatch()
    return reply
  }

  read(path: string, comparison: Comparison): Promise<WireReply> {
    const url = `/_mock${path}`
    return this.#exchange({ listener: 'combined', method: 'GET', url, headers: {} }, comparison)
  }

  /**
   * Sends a request to the control plane that steers the run and does not count as one of its
   * requests.
   */
  control(method: string, path: string, body?: object): Promise<WireReply> {
    return this.#exchange(
      {
        listener: 'combined',
        method,
        url: `/_mock${path}`,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      'names',
    )
  }

  /** Returns whether an operation answered any request with a status below 400. */
  isServed(listener: ListenerName, { id }: CoveredOperation): boolean {
    return (this.#tallies.get(nameOf(listener, id))?.served ?? 0) > 0
  }

  /** Looks up the operations of the last requests in the journal, and writes the requests. */
  async finishBatch(): Promise<void> {
    const { body } = await this.read('/requests?limit=1000', 'names')
    const operations = new Map<string, string>()
    for (const { id, service, operation } of JSON.parse(textOf(body)).requests ?? []) {
      if (operation !== null) operations.set(id, nameOf(service, operation))
    }
    await this.control('DELETE', '/requests')
    for (const exchange of this.#batch) {
      const [, id = ''] =
        exchange.reply.headers.find(([name]) => /^x-mock-request$/i.test(name)) ?? []
      const operation = operations.get(id) ?? this.#operationAt(exchange)
      if (operation !== undefined) this.#count(operation, exchange.reply.status)
      await this.#writer.write(operation === undefined ? exchange : { operation, ...exchange })
    }
    this.#batch = []
  }

  /**
   * Returns lines with the operations of each API, and how many of them were requested and served.
   */
  summary(): string[] {
    const apis = new Map<string, { known: number; hit: number; unserved: string[] }>()
    for (const [name, { requests, served }] of this.#tallies) {
      const [api = '', id = ''] = name.split(' ')
      const sum = apis.get(api) ?? { known: 0, hit: 0, unserved: [] }
      sum.known += 1
      if (requests > 0) sum.hit += 1
      if (served === 0) sum.unserved.push(id)
      apis.set(api, sum)
    }
    return [...apis].map(([api, { known, hit, unserved }]) => {
      const rest = unserved.length === 0 ? '' : `; never served: ${unserved.join(', ')}`
      return `${api}: ${known} operations, ${hit} requested, ${known - unserved.length} served${rest}`
    })
  }

  async #exchange(request: WireRequest, comparison: Comparison): Promise<WireReply> {
    const { reply, advances } = await this.#server.exchange(request)
    const exchange = { request, reply, comparison }
    this.#batch.push(advances === 0 ? exchange : { advances, ...exchange })
    return reply
  }

  /**
   * Returns the operation of a request that is not in the journal: an upload or a control request.
   */
  #operationAt({ request }: Exchange): string | undefined {
    const [path = ''] = request.url.replace(/^\/_world\/[^/]+/, '').split('?')
    return this.#paths.find(
      ({ listener, verb, pattern }) =>
        listener === request.listener && verb === request.method && pattern.test(path),
    )?.name
  }

  #count(operation: string, status: number): void {
    const tally = this.#tallies.get(operation) ?? { requests: 0, served: 0 }
    tally.requests += 1
    if (status > 0 && status < 400) tally.served += 1
    this.#tallies.set(operation, tally)
  }
}

const nameOf = (listener: string, id: string) =>
  `${listener === 'combined' ? 'control' : listener} ${id}`
