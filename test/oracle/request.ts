/** A request of a sequence, the same for both servers. */
export interface OracleRequest {
  /** Id of the operation whose declaration it was made from. */
  readonly operation: string
  readonly method: string
  /** Below `/v1/`, with its query. May hold the names of `captures`, as body and token may. */
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
  send(request: Omit<OracleRequest, 'operation'>): Promise<Answer>
}

/**
 * Names in requests that stand for what a server told last: servers draw tokens and ids of their
 * own. Each by where an answer has it.
 */
const captures: Readonly<Record<string, readonly string[]>> = {
  $token: ['auth', 'client_token'],
  $accessor: ['auth', 'accessor'],
  $wrapped: ['wrap_info', 'token'],
  $nonce: ['nonce'],
  $migration: ['data', 'migration_id'],
}

/** Asks a server one request after the other, with what it told in the place of names. */
export async function answersOf(
  target: Target,
  requests: readonly Omit<OracleRequest, 'operation'>[],
): Promise<readonly Answer[]> {
  const told = new Map(Object.keys(captures).map((name) => [name, 'nothing-told']))
  const filled = (text: string) => text.replace(/\$[a-z]+/g, (name) => told.get(name) ?? name)
  const answers: Answer[] = []
  for (const request of requests) {
    const { body, token } = request
    const answer = await target.send({
      ...request,
      path: filled(request.path),
      token: token === 'root' ? target.token : filled(token),
      ...(body === undefined ? {} : { body: filled(body) }),
    })
    for (const [name, place] of Object.entries(captures)) {
      const value = place.reduce<unknown>(memberOf, answer.body)
      if (typeof value === 'string' && value !== '') told.set(name, value)
    }
    answers.push(answer)
  }
  return answers
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** A request as people read it. */
export function showRequest({ method, path, body, token }: OracleRequest): string {
  const whose = token === 'root' ? '' : ` (token ${token})`
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}${whose}`
}
