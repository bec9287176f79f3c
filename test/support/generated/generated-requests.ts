import fc from 'fast-check'
import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import type { Samples } from './samples/sample.ts'

/** Request in the form that `inject` accepts. */
export interface GeneratedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string
}

/**
 * Corruptions of a request. `none` leaves the request unchanged, and is listed three times so that
 * it is drawn more often.
 */
const corruptions = [
  'none',
  'none',
  'none',
  'wrong type',
  'missing member',
  'unknown member',
  'cut JSON',
  'no JSON',
  'no body',
  'unknown name',
  'other verb',
  'other token',
  'content type',
  'query',
] as const

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/**
 * Random numbers and strings from which `RequestGenerator` builds a request shortly before a test
 * sends it.
 */
export interface RequestDraft {
  /**
   * Numbers that select the operation, the sample, the kind of body and token, and the value of
   * each parameter.
   */
  readonly picks: readonly number[]
  readonly corruption: (typeof corruptions)[number]
  readonly at: number
  readonly name: string
  readonly value: unknown
}

/**
 * Arbitrary of request drafts. A draft does not determine its request completely, because the
 * request also contains names from earlier replies.
 */
export const draftArbitrary: fc.Arbitrary<RequestDraft> = fc.record({
  picks: fc.array(fc.nat(9999), { minLength: 8, maxLength: 8 }),
  corruption: fc.constantFrom(...corruptions),
  at: fc.nat(9999),
  name: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('__proto__', '..', 'a/b', 'Name')),
  value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, -1, '', {}, [], 1e300)),
})

const choose = <T>(list: readonly T[], pick = 0): T | undefined => list[pick % list.length]

/** Member names and list positions that lead to a value inside a JSON value. */
type Path = readonly (string | number)[]

/** Returns every path in a JSON value except the root. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const place = [...path, name]
    return [place, ...pathsIn(member, place)]
  })
}

/**
 * Returns a copy with another value at the path. If `member` is undefined, a member of an object is
 * removed, and an item of a list becomes undefined.
 */
function replaceAt(value: unknown, [name, ...rest]: Path, member: unknown): unknown {
  if (name === undefined) return member
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? replaceAt(item, rest, member) : item))
  }
  const { [name]: before, ...others } = Object(value)
  const after = replaceAt(before, rest, member)
  return after === undefined ? others : { ...others, [name]: after }
}

function corruptedBody(
  body: unknown,
  { corruption, at, name, value }: RequestDraft,
): string | undefined {
  const place = choose(pathsIn(body), at)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  switch (corruption) {
    case 'no body':
      return undefined
    case 'no JSON':
      return `{${name}`
    case 'cut JSON':
      return text?.slice(0, at % (text.length + 1))
    case 'wrong type':
      return place === undefined
        ? JSON.stringify(value)
        : JSON.stringify(replaceAt(body, place, value))
    case 'missing member':
      return place === undefined ? text : JSON.stringify(replaceAt(body, place, undefined))
    case 'unknown member':
      return JSON.stringify(replaceAt(body ?? {}, [...(place ?? []).slice(0, -1), name], value))
    default:
      return text
  }
}

/**
 * Approximate maximum number of remembered strings, so that memory does not grow during a long run.
 */
const maxRemembered = 10_000

/** Generator of requests to one API, from samples or from random drafts. */
export class RequestGenerator {
  readonly #operations: readonly CoveredOperation[]
  readonly #samples: Samples
  readonly #bodyArbitrary: (operation: CoveredOperation) => fc.Arbitrary<unknown> | undefined
  /** Short strings from replies, mostly ids. */
  readonly #remembered = new Set<string>()

  /**
   * @param bodyArbitrary returns an arbitrary of bodies for an operation that declares them
   */
  constructor(
    operations: readonly CoveredOperation[],
    samples: Samples,
    bodyArbitrary: (operation: CoveredOperation) => fc.Arbitrary<unknown> | undefined,
  ) {
    this.#operations = operations
    this.#samples = samples
    this.#bodyArbitrary = bodyArbitrary
  }

  /**
   * Yields a request for each sample body, with the first known value of every path parameter, and
   * repeats it with the next token until the request succeeds. Then yields a request to every GET
   * and LIST operation without path parameters. The caller passes the status of each reply to
   * `next()`, and the text of each reply to `remember`, so that later requests use names from the
   * replies.
   */
  *samples(): Generator<GeneratedRequest, void, number> {
    const { bodies, tokens } = this.#samples
    for (const [operation, all] of Object.entries(bodies)) {
      const [verb = '', path = ''] = operation.split(' ')
      for (const body of all) {
        for (const token of tokens) {
          const values = this.#pick(path, [])
          const address = addressOf(path, values)
          const status = yield this.#request(verb, address, token, this.#fillIn(body, values))
          if (status < 400) break
        }
      }
    }
    for (const { verb, path } of this.#operations) {
      if (path.includes(':') || !['GET', 'LIST'].includes(verb)) continue
      yield this.#request(verb, path, tokens[0], undefined)
    }
  }

  /** Remembers the strings of 3 to 80 characters in a reply, unless the limit is reached. */
  remember(reply: string): void {
    if (this.#remembered.size >= maxRemembered) return
    for (const [, text = ''] of reply.matchAll(/"([^"\\]{3,80})"/g)) {
      // A substring would keep the whole reply in memory; parsed JSON is a copy.
      this.#remembered.add(JSON.parse(JSON.stringify(text)))
    }
  }

  /** Returns one request, valid or corrupted. Throws if the API has no operations. */
  request(draft: RequestDraft): GeneratedRequest {
    const [first = 0, second, third = 0, ...values] = draft.picks
    const operation = choose(this.#operations, first)
    if (operation === undefined) throw new Error('the API has no operations')
    const { verb, path } = operation
    const { corruption, at, name } = draft
    const names = this.#pick(path, values)
    const sample = choose(this.#samples.bodies[`${verb} ${path}`] ?? [undefined], second)
    const bodyArbitrary = third % 3 === 0 ? this.#bodyArbitrary(operation) : undefined
    const body =
      bodyArbitrary === undefined
        ? this.#fillIn(sample, names, at)
        : fc.sample(bodyArbitrary, { numRuns: 1, seed: at })[0]
    const token = choose(
      this.#samples.tokens,
      corruption === 'other token' ? at : Number(third % 4 === 1),
    )
    const method = corruption === 'other verb' ? (choose(verbs, at) ?? verb) : verb
    const last = [...names.keys()].at(-1)
    if (corruption === 'unknown name' && last !== undefined) names.set(last, name)
    const address = addressOf(path, names)
    const query = corruption === 'query' ? `?${encodeURIComponent(name)}=${at}&cas=${at % 4}` : ''
    const request = this.#request(method, address + query, token, body, corruptedBody(body, draft))
    if (corruption !== 'content type') return request
    return { ...request, headers: { ...request.headers, 'content-type': 'text/x' } }
  }

  #request(
    verb: string,
    address: string,
    token: string | undefined,
    body: unknown,
    text = typeof body === 'string' ? body : JSON.stringify(body),
  ): GeneratedRequest {
    const { tokenHeader, contentType } = this.#samples
    const isList = verb === 'LIST'
    const isMergePatch = verb === 'PATCH' && tokenHeader === 'x-secrets-token'
    return {
      method: isList ? 'GET' : verb,
      url: isList ? `${address}?list=true` : address,
      headers: {
        ...(token ? { [tokenHeader]: token } : {}),
        ...(text === undefined
          ? {}
          : { 'content-type': isMergePatch ? 'application/merge-patch+json' : contentType }),
      },
      ...(text === undefined ? {} : { payload: text }),
    }
  }

  /**
   * Picks a value for each parameter of a path, from the values for the preceding segment or for
   * the name of the parameter; `none` if no value is known.
   */
  #pick(path: string, picks: readonly number[]): Map<string, string> {
    const segments = path.split('/')
    const found = segments.flatMap((name, at) =>
      name.startsWith(':') ? [[name, at] as const] : [],
    )
    return new Map(
      found.map(([parameter, at], n) => [
        parameter,
        this.#valueOf(parameter.slice(1), picks[n], `${segments[at - 1]}/${parameter}`),
      ]),
    )
  }

  #valueOf(name: string, pick: number | undefined, place = name): string {
    const { values } = this.#samples
    const known = values[place] ?? values[name] ?? []
    const all =
      known instanceof RegExp ? [...this.#remembered].filter((one) => known.test(one)) : known
    return choose(all, pick) ?? 'none'
  }

  /**
   * Returns a body in which a string such as `:id` is replaced by the value of that path parameter,
   * or by a sample value if the path does not have the parameter.
   */
  #fillIn(body: unknown, values: ReadonlyMap<string, string>, pick = 0): unknown {
    if (typeof body === 'string') {
      return /^:\w+$/.test(body) ? (values.get(body) ?? this.#valueOf(body.slice(1), pick)) : body
    }
    if (typeof body !== 'object' || body === null) return body
    if (Array.isArray(body)) return body.map((item) => this.#fillIn(item, values, pick))
    return Object.fromEntries(
      Object.entries(body).map(([name, member]) => [name, this.#fillIn(member, values, pick)]),
    )
  }
}

function addressOf(path: string, values: ReadonlyMap<string, string>): string {
  return path.replace(/:\w+/g, (parameter) =>
    (values.get(parameter) ?? parameter).split('/').map(encodeURIComponent).join('/'),
  )
}
