import { constant, oneOf, type ValueGenerator, weighted } from './generators.ts'
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
export interface ReplyVariable {
  /** Begins with `$`. */
  readonly name: string
  /** Fits the ids of the operations that tell it; all of them unless given. */
  readonly of?: RegExp
  /** The place of it in an answer's body. */
  readonly at: readonly string[]
  /** Stands in for it until it was told. */
  readonly initialValue?: string | number
}

/** What requests are asked with. */
export interface RequestContext {
  readonly variables: readonly ReplyVariable[]
  waitForCompletion?(target: Target, request: ComparedRequest): Promise<void>
}

/** Asks a server one request after the other, with what it told in the place of names. */
export async function sendAll(
  target: Target,
  requests: readonly ComparedRequest[],
  context: RequestContext,
): Promise<readonly Answer[]> {
  const values = new Map<string, string | number>(
    context.variables.map(({ name, initialValue = 'understudy-untold' }) => [name, initialValue]),
  )
  const fillIn = (text: string) =>
    text
      .replace(/"(\$[a-z]+)"/g, (_, name) => JSON.stringify(values.get(name) ?? name))
      .replace(/\$[a-z]+/g, (name) => String(values.get(name) ?? name))
  const answers: Answer[] = []
  for (const request of requests) {
    const { operation, body, token } = request
    const answer = await target
      .send({
        ...request,
        path: fillIn(request.path),
        token: token === 'root' ? target.token : fillIn(token),
        ...(body === undefined ? {} : { body: fillIn(body) }),
      })
      .catch(answerToReset)
    for (const { name, of, at } of context.variables) {
      if (of?.test(operation) === false) continue
      const value = at.reduce<unknown>(memberOf, answer.body)
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
        values.set(name, value)
      }
    }
    await context.waitForCompletion?.(target, request)
    answers.push(answer)
  }
  return answers
}

/** The answer of a server that falls over a request and closes the connection, as real ones do. */
function answerToReset(error: unknown): Answer {
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
export function rootRequest(method: string, path: string, body?: object): ComparedRequest {
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  return { operation: '', method, path, token: 'root', ...payload }
}

/** A request as people read it. */
export function formatRequest({ method, path, body, token }: ComparedRequest): string {
  const tokenNote = token === 'root' ? '' : ` (token ${token})`
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}${tokenNote}`
}

/** Whose token a request carries: mostly the root's, now and then one of others or none that is good. */
export function tokenGenerator(others: readonly string[]): ValueGenerator<string> {
  return weighted(
    [12, constant('root')],
    [2, oneOf(...others)],
    [1, oneOf<string>('none', 'nobody')],
  )
}
