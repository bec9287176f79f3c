import { rebaseOrigin } from './pure/client-snippets.ts'
import { bodyText, type Sendable } from './pure/curl.ts'
import { EventReader, type ServerEvent } from './pure/server-events.ts'

/** A refusal of the control plane. */
export class ControlProblem extends Error {
  readonly status: number
  readonly problems: readonly string[]

  constructor(status: number, detail: string, problems: readonly string[] = []) {
    super(detail)
    this.name = 'ControlProblem'
    this.status = status
    this.problems = problems
  }
}

/** What an API answered. */
export interface ApiReply {
  readonly status: number
  /** The name of the request in the journal. */
  readonly id: string | undefined
  readonly body: string
}

/** Events of a world, as they come. */
export interface EventsRequest {
  readonly types: string
  /** Behind which event; undefined: from now on. */
  readonly after: string | undefined
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onEvents: (events: readonly ServerEvent[]) => void
}

/** Asks somebody for the control token, after a refusal or for the first time. */
type PromptToken = (isWrong: boolean) => Promise<string>

/**
 * The control plane and the APIs, seen from the page: below its own address, whatever prefix stands
 * before it. The control token is kept in memory alone.
 */
export class Client {
  /** Ends in `/_mock`. */
  readonly controlPath: string
  /** Below which worlds are reached by prefix. */
  readonly rootPath: string
  readonly #promptToken: PromptToken
  #token: string | undefined
  #pendingToken: Promise<string> | undefined

  constructor(pathname: string, promptToken: PromptToken) {
    this.controlPath = pathname.replace(/\/ui\/?$/, '')
    this.rootPath = this.controlPath.replace(/\/_mock$/, '').replace(/\/_world\/[^/]+$/, '')
    this.#promptToken = promptToken
  }

  /**
   * Calls the control plane; the reply's JSON, its text, or undefined without one.
   *
   * @param path below `/_mock`
   */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.#fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json')
    // What the control plane answers is declared; the caller says as what.
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T
  }

  /** The same for a world's own calls. */
  callerFor(world: string) {
    const url = `/worlds/${encodeURIComponent(world)}`
    return <T>(method: string, path: string, body?: unknown): Promise<T> =>
      this.call<T>(method, url + path, body)
  }

  /** Sends a request to an API of a world. */
  async send(world: string, { method, path, headers, body }: Sendable): Promise<ApiReply> {
    const url = `${this.rootPath}/_world/${encodeURIComponent(world)}${path}`
    const text = bodyText(body)
    const reply = await fetch(url, {
      method: method === 'LIST' ? 'GET' : method,
      headers: { ...headers },
      redirect: 'manual',
      ...(text === '' || method === 'GET' || method === 'HEAD' ? {} : { body: text }),
    })
    const id = reply.headers.get('x-mock-request') ?? undefined
    return { status: reply.status, id, body: await reply.text() }
  }

  /** Listens to a world's events until the stream or the caller ends it. */
  async events(world: string, { types, after, signal, onOpen, onEvents }: EventsRequest) {
    const reply = await this.#fetch(`/worlds/${encodeURIComponent(world)}/events?types=${types}`, {
      signal,
      headers: after === undefined ? {} : { 'last-event-id': after },
    })
    onOpen()
    const reader = new EventReader()
    const decoder = new TextDecoder()
    const stream = reply.body?.getReader()
    for (;;) {
      const piece = await stream?.read()
      if (piece === undefined || piece.done) return
      const events = reader.read(decoder.decode(piece.value, { stream: true }))
      if (events.length > 0) onEvents(events)
    }
  }

  /** A text of the server whose addresses are those that the page itself is reached by. */
  rebaseUrls(text: string): string {
    return this.rootPath === '' ? text : rebaseOrigin(text, location.origin, this.rootPath)
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    for (;;) {
      const token = this.#token
      const headers = new Headers(request.headers)
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const reply = await fetch(this.controlPath + path, { ...request, headers })
      if (reply.status === 401) {
        await this.#authenticate(token)
        continue
      }
      if (!reply.ok) throw await parseProblem(reply)
      return reply
    }
  }

  /** Asks for the token once, however many calls want it. */
  async #authenticate(rejectedToken: string | undefined): Promise<void> {
    if (this.#token !== rejectedToken) return
    this.#pendingToken ??= this.#promptToken(rejectedToken !== undefined)
    this.#token = await this.#pendingToken
    this.#pendingToken = undefined
  }
}

async function parseProblem(reply: Response): Promise<ControlProblem> {
  const text = await reply.text()
  try {
    const { detail = text, problems } = JSON.parse(text)
    return new ControlProblem(reply.status, detail, problems)
  } catch {
    return new ControlProblem(reply.status, text || `status ${reply.status}`)
  }
}

/** What went wrong, as a line for somebody to read. */
export function errorText(error: unknown): string {
  if (error instanceof ControlProblem && error.problems.length > 0) {
    return `${error.message}: ${error.problems.join('; ')}`
  }
  return error instanceof Error ? error.message : String(error)
}
