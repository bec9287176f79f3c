import { constant, oneOf, type ValueGenerator, weighted } from './generators.ts'
/** Request of a sequence. Both servers receive the same requests. */
export interface ComparedRequest {
  /** Id of the operation that the request was generated from. */
  readonly operation: string
  readonly method: string
  /** Path below `/v1/` with its query. Path, body and token may contain names of variables. */
  readonly path: string
  /** Body as text; undefined for a request without a body. */
  readonly body?: string | undefined
  readonly contentType?: string | undefined
  /**
   * Lifetime, in seconds, of the token in which the reply is wrapped; undefined for a plain reply.
   */
  readonly wrapTtl?: string
  /** Token of the request: `root`, `none`, a variable, or the text of a token. */
  readonly token: string
}

export interface Answer {
  readonly status: number
  /** Parsed JSON, or the text; undefined if the body is empty. */
  readonly body: unknown
  /** Headers by their names in lower case; undefined for a reply that no server sent. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>
}

/** Server under comparison. */
export interface Target {
  readonly name: string
  /** Root token of the server. */
  readonly token: string
  /**
   * Replacements for words of the product, by the replaced word. Replies are compared after the
   * replacement.
   */
  readonly words?: Readonly<Record<string, string>>
  send(request: Omit<ComparedRequest, 'operation'>): Promise<Answer>
}

/**
 * Variable in requests that stands for a value from earlier replies, because servers generate
 * tokens, ids and indexes.
 */
export interface ReplyVariable {
  /** Name, which starts with `$`. */
  readonly name: string
  /** Pattern of the operations whose replies set the variable. Default: all. */
  readonly operationPattern?: RegExp
  /** Path of the value in a reply's body. */
  readonly memberPath: readonly string[]
  /** Value until a reply sets the variable. Default: a text that no server knows. */
  readonly initialValue?: string | number
}

/** Variables of the requests, and a function that waits after each request. */
interface RequestContext {
  readonly variables: readonly ReplyVariable[]
  waitForCompletion?(target: Target, request: ComparedRequest): Promise<void>
}

/**
 * Sends requests one after the other, with variables filled in from earlier replies. Waits after
 * each request until the server has completed its work. Returns the replies. A connection that the
 * server closed counts as a reply with status 0.
 */
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
      .catch(answerForReset)
    for (const { name, operationPattern, memberPath } of context.variables) {
      if (operationPattern?.test(operation) === false) continue
      const value = memberPath.reduce<unknown>(memberOf, answer.body)
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') {
        values.set(name, value)
      }
    }
    await context.waitForCompletion?.(target, request)
    answers.push(answer)
  }
  return answers
}

/**
 * Returns the reply that stands for a connection which the server closed, as real servers do when a
 * request crashes them. Throws any other error.
 */
function answerForReset(error: unknown): Answer {
  if (error instanceof Error && Reflect.get(error, 'code') === 'ECONNRESET') {
    return { status: 0, body: 'The connection was closed' }
  }
  throw error
}

/** Returns a member of an object; undefined if there is no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns a request that has the root token and belongs to no operation. */
export function rootRequest(method: string, path: string, body?: object): ComparedRequest {
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  return { operation: '', method, path, token: 'root', ...payload }
}

export function formatRequest({ method, path, body, token, wrapTtl }: ComparedRequest): string {
  const tokenNote = token === 'root' ? '' : ` (token ${token})`
  const wrapNote = wrapTtl === undefined ? '' : ` (wrapped for ${wrapTtl} s)`
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}${tokenNote}${wrapNote}`
}

/**
 * Returns a generator of tokens: mostly root, sometimes one of `others`, an invalid token or none.
 */
export function tokenGenerator(others: readonly string[]): ValueGenerator<string> {
  return weighted(
    [12, constant('root')],
    [2, oneOf(...others)],
    [1, oneOf<string>('none', 'nobody')],
  )
}
