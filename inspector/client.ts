import { rebaseOrigin } from './pure/client-snippets.ts'
import { bodyText, type Sendable } from './pure/curl.ts'
import { EventReader } from './pure/server-events.ts'
import type { ApiReply, EventsRequest } from './source/source.ts'

/** Error reply of the control plane. */
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

/**
 * Function that asks the user for the control token. The client calls the function when the server
 * first requires a token, and again, with `wasRejected`, after a wrong token.
 */
type PromptToken = (wasRejected: boolean) => Promise<string>

/**
 * Client of the control plane and the APIs. All paths start with the path of the page's address, so
 * the page also works behind a proxy that adds a prefix. The control token is kept in memory only.
 */
export class Client {
  /** Path of the control plane, which ends in `/_mock`. */
  readonly controlPath: string
  /** Path to which `/_world/{id}` is appended to reach a world. */
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
   * Calls the control plane. Returns the parsed JSON, the text, or undefined for an empty reply.
   * For a 401, asks for the control token and repeats the call. Throws a `ControlProblem` for any
   * other error reply.
   *
   * @param path path below `/_mock`
   */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.#fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json')
    // The cast is unchecked: the caller names the type that the control plane declares for this
    // reply.
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T
  }

  /** Returns a function that calls the control plane of one world. */
  callerFor(world: string) {
    const url = `/worlds/${encodeURIComponent(world)}`
    return <T>(method: string, path: string, body?: unknown): Promise<T> =>
      this.call<T>(method, url + path, body)
  }

  /**
   * Sends a request to an API and returns the reply, whatever its status. Redirects are not
   * followed, LIST is sent as GET, and the bodies of GET and HEAD are left out.
   */
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

  /**
   * Passes a world's events to `onEvents` until the stream ends. Throws a `ControlProblem` for an
   * error reply, and rejects if `signal` aborts the request.
   */
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

  /**
   * Inserts the proxy's path prefix, if there is one, after every occurrence of the page's origin
   * in a text.
   */
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

  /**
   * Prompts for the control token and stores it. Calls that need the token at the same time share
   * one prompt.
   */
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

/** Formats an error as one line for the user. */
export function errorText(error: unknown): string {
  if (error instanceof ControlProblem && error.problems.length > 0) {
    return `${error.message}: ${error.problems.join('; ')}`
  }
  return error instanceof Error ? error.message : String(error)
}
