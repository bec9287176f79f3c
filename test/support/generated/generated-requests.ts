import fc from 'fast-check'
import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import type { Samples } from './samples/sample.ts'

/** A request as `inject` takes it. */
export interface GeneratedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string
}

/** How a request is spoiled: `none` leaves it as the samples have it. */
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

/** The drawn numbers and texts that make one request out of what there is when it is sent. */
export interface RequestDraft {
  /** Which operation, which sample, which value of each parameter. */
  readonly picks: readonly number[]
  readonly corruption: (typeof corruptions)[number]
  readonly at: number
  readonly name: string
  readonly value: unknown
}

/** Drafts of requests; what they become depends on names that the replies before them told. */
export const draftArbitrary: fc.Arbitrary<RequestDraft> = fc.record({
  picks: fc.array(fc.nat(9999), { minLength: 8, maxLength: 8 }),
  corruption: fc.constantFrom(...corruptions),
  at: fc.nat(9999),
  name: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('__proto__', '..', 'a/b', 'Name')),
  value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, -1, '', {}, [], 1e300)),
})

const choose = <T>(list: readonly T[], pick = 0): T | undefined => list[pick % list.length]

/** Where something is in a JSON value: the names and positions that lead to it. */
type Path = readonly (string | number)[]

/** Every place in a JSON value but the root. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const place = [...path, name]
    return [place, ...pathsIn(member, place)]
  })
}

/** A copy in which the member at a place is another, or gone where it is undefined. */
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

/** So many words of replies are remembered, about: a long run must not grow by its own notes. */
const maxRemembered = 10_000

/** Makes requests to one API out of drafts. */
export class RequestGenerator {
  readonly #operations: readonly CoveredOperation[]
  readonly #samples: Samples
  readonly #bodyArbitrary: (operation: CoveredOperation) => fc.Arbitrary<unknown> | undefined
  /** Short texts that replies told: ids above all. */
  readonly #remembered = new Set<string>()

  /** @param bodyArbitrary bodies as the declaration of an operation describes them, if it does */
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
   * The samples themselves, each with the first value of every parameter and with one token after the
   * other until it is answered, and then a read of everything that has no parameters: what replies
   * tell is used in later requests. It takes the status of each reply.
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

  /** Remembers what a reply told. */
  remember(reply: string): void {
    if (this.#remembered.size >= maxRemembered) return
    for (const [, text = ''] of reply.matchAll(/"([^"\\]{3,80})"/g)) {
      // A piece of a text keeps all of it in memory; what comes out of JSON is a text of its own.
      this.#remembered.add(JSON.parse(JSON.stringify(text)))
    }
  }

  /** One request, good or broken. */
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

  /** A value for each parameter of a path, by its name or, before that, by what stands before it. */
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

  /** A body in which texts such as `:id` are what that parameter is in the path, or may be. */
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
