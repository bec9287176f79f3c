import { always, type Draw, oneOf, weighted } from './draw.ts'
/** A request of a sequence, the same for both servers. */
export interface ComparedRequest {
  /** Id of the operation whose declaration it was made from. */
  readonly operation: string
  readonly method: string
  /** Below `/v1/`, with its query. May hold the names of captures, as body and token may. */
  readonly path: string
  /** The body as it is sent; undefined for none. */
  readonly body?: string | undefined
  readonly contentType?: string | undefined
  /** `root`, `none` or a text. */
  readonly token: string
}

/** An answer as it came. */
export interface Answer {
  readonly status: number
  /** Parsed where it is JSON, else the text; undefined when there is none. */
  readonly body: unknown
}

/** A server to ask. */
export interface Target {
  readonly name: string
  /** Its root token. */
  readonly token: string
  /** Words of its product, by those that stand for them when answers are compared. */
  readonly words?: Readonly<Record<string, string>>
  send(request: Omit<ComparedRequest, 'operation'>): Promise<Answer>
}

/**
 * A name in requests that stands for what a server told last: servers draw tokens, ids and indexes
 * of their own.
 */
export interface Capture {
  /** Begins with `$`. */
  readonly name: string
  /** Fits the ids of the operations that tell it; all of them unless given. */
  readonly of?: RegExp
  /** The place of it in an answer's body. */
  readonly at: readonly string[]
  /** Stands in for it until it was told. */
  readonly untold?: string | number
}

/** What requests are asked with. */
export interface Asking {
  readonly captures: readonly Capture[]
  settle?(target: Target, request: ComparedRequest): Promise<void>
}

/** Asks a server one request after the other, with what it told in the place of names. */
export async function answersOf(
  target: Target,
  requests: readonly ComparedRequest[],
  asking: Asking,
): Promise<readonly Answer[]> {
  const told = new Map<string, string | number>(
    asking.captures.map(({ name, untold = 'understudy-untold' }) => [name, untold]),
  )
  const filled = (text: string) =>
    text
      .replace(/"(\$[a-z]+)"/g, (_, name) => JSON.stringify(told.get(name) ?? name))
      .replace(/\$[a-z]+/g, (name) => String(told.get(name) ?? name))
  const answers: Answer[] = []
  for (const request of requests) {
    const { operation, body, token } = request
    const answer = await target
      .send({
        ...request,
        path: filled(request.path),
        token: token === 'root' ? target.token : filled(token),
        ...(body === undefined ? {} : { body: filled(body) }),
      })
      .catch(silence)
    for (const { name, of, at } of asking.captures) {
      if (of?.test(operation) === false) continue
      const value = at.reduce<unknown>(memberOf, answer.body)
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
        told.set(name, value)
      }
    }
    await asking.settle?.(target, request)
    answers.push(answer)
  }
  return answers
}

/** The answer of a server that falls over a request and closes the connection, as real ones do. */
function silence(error: unknown): Answer {
  if (error instanceof Error && Reflect.get(error, 'code') === 'ECONNRESET') {
    return { status: 0, body: 'The connection was closed' }
  }
  throw error
}

/** A member of an answer; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** A request with the root token, as sequences begin and end with. */
export function asRoot(method: string, path: string, body?: object): ComparedRequest {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return { operation: '', method, path, token: 'root', ...sent }
}

/** A request as people read it. */
export function showRequest({ method, path, body, token }: ComparedRequest): string {
  const whose = token === 'root' ? '' : ` (token ${token})`
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}${whose}`
}

/** Whose token a request carries: mostly the root's, now and then one of others or none that is good. */
export function tokensOf(others: readonly string[]): Draw<string> {
  return weighted([12, always('root')], [2, oneOf(...others)], [1, oneOf<string>('none', 'nobody')])
}
