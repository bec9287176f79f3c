import { readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { expect } from 'vitest'
import { explanationShape } from '../../../routes/explain/explain-shapes.ts'
import type { Explanation } from '../../../routes/explain/explanation.ts'
import { sharedValidator } from '../../../routes/http/declare/validate.ts'
import { fingerprintOf } from '../../../routes/journal/fingerprint.ts'
import {
  createUnderstudy,
  type DialectName,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { fileOf } from '../../support/files.ts'

/** Request as a client sends it. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or text that is sent unchanged. */
  readonly body?: unknown
}

/** Mistake in a request, and the expected explanation. */
export interface Mistake {
  readonly mistake: string
  /** Preceding requests in short form: see `short`. */
  readonly after?: readonly string[]
  readonly options?: object
  /** Prepares the world before the request is sent. */
  readonly given?: (world: ReturnType<Understudy['world']>) => void
  /** Request in short form: `POST /v1/secret/data/a {"data":{}} #token @header=value`. */
  readonly sent: string
  /** Listener to use instead of the API's own. */
  readonly at?: 'combined'
  readonly rule: string
  /** True if the explanation must suggest a request, which is then served. */
  readonly passes?: true
  /** Words that the sentence must contain. */
  readonly says: readonly string[]
  /** Differences in the vendor dialect; null if the mistake cannot be made there. */
  readonly vendor?: Partial<Pick<Mistake, 'sent' | 'rule' | 'says'>> | null
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Sends a request without changing anything in it. */
export function exchange(
  origin: string,
  { method, path, headers = {}, body }: Sent,
): Promise<Reply> {
  const { hostname, port } = new URL(origin)
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = send({ hostname, port, method, path, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        const { statusCode: status = 0, headers: got } = reply
        resolve({ status, headers: got, body: Buffer.concat(chunks).toString() })
      })
    })
    request.on('error', reject)
    request.end(text)
  })
}

/** Returns the mistakes that can be made in a dialect, in its words. */
export function mistakesIn(
  dialect: DialectName,
  mistakes: readonly Mistake[],
  words: Readonly<Record<string, string>>,
): Mistake[] {
  if (dialect === 'neutral') return [...mistakes]
  const renamed = (text: string) =>
    Object.entries(words).reduce((so, [neutral, vendor]) => so.replaceAll(neutral, vendor), text)
  return mistakes.flatMap(({ vendor, ...mistake }) => {
    if (vendor === null) return []
    const { sent, says, after = [] } = mistake
    const own = { sent: renamed(sent), says: says.map(renamed), after: after.map(renamed) }
    return [{ ...mistake, ...own, ...vendor }]
  })
}

/** Mistake in a request below the mount: verb and path, body, rule, and words of the sentence. */
type MistakeRow = readonly [
  mistake: string,
  sent: string,
  body: object,
  rule: string,
  ...says: readonly string[],
]

/**
 * Returns a function that makes a table of mistakes in requests to the engine at a mount. They are
 * made after the same requests, and each has a suggestion that is served.
 */
export function mistakesAt(mount: string) {
  return (after: readonly string[], rows: readonly MistakeRow[], options: object = {}): Mistake[] =>
    rows.map(([mistake, sent, body, rule, ...says]) => {
      const isPatch = sent.startsWith('PATCH ')
      const header = isPatch ? '@content-type=application/merge-patch+json ' : ''
      const json = /^(?:GET|DELETE) /.test(sent) ? '' : JSON.stringify(body)
      const request = `${sent.replace(' ', ` /v1/${mount}/`)} ${header}${json}`
      return { mistake, options, after, sent: request, rule, says, passes: true }
    })
}

/** Conventions of an API in its table of mistakes. */
export interface Manner {
  /** Name of the header that carries a token. */
  readonly token: string
  /** Token that is sent if a mistake names none. */
  readonly usual?: string
  readonly contentType?: string
}

/**
 * Parses the short form of a request: verb, path, then a body in braces or after `=`, `#token` (`#`
 * alone for no token) and `@name=value` for further headers.
 */
export function short(text: string, manner: Manner, saved: ReadonlyMap<string, string>): Sent {
  const filled = text.replaceAll(/\$(\w+)/g, (whole, name: string) => saved.get(name) ?? whole)
  const [, method = '', path = '', rest = ''] = /^(\S+) (\S+)\s*(.*)$/s.exec(filled) ?? []
  const headers: Record<string, string> = {}
  let body: string | undefined
  let token = manner.usual
  let left = rest
  while (left !== '') {
    const part = /^(?:@([\w-]+)=(\S*)|#(\S*)|=(.*)$|([{["].*)$)\s*/s.exec(left)
    if (part === null) throw new Error(`cannot read ${left}`)
    const [whole, name, value, named, plain, json] = part
    if (name !== undefined) headers[name] = (value ?? '').replaceAll('%20', ' ')
    else if (named !== undefined) token = named === '' ? undefined : named
    else body = plain ?? json
    left = left.slice(whole.length)
  }
  if (token !== undefined)
    headers[manner.token] ??= `${manner.token === 'authorization' ? 'Bearer ' : ''}${token}`
  if (body !== undefined && manner.contentType !== undefined) {
    headers['content-type'] ??= manner.contentType
  }
  return { method, path, headers, ...(body === undefined ? {} : { body }) }
}

/** Explanation of a mistake, and the outcome of the request that the explanation suggests. */
export interface Told {
  readonly explanation: Explanation
  readonly reply: Reply
  /** Rule of the suggested request's answer; undefined without a suggestion. */
  readonly later: string | null | undefined
}

/** Server for tables of mistakes, each of which is made in a separate world. */
export class Trial {
  readonly understudy: Understudy
  readonly #service: 'secrets' | 'platform' | 'mesh' | 'scheduler'
  readonly #manner: Manner
  #worlds = 0

  private constructor(understudy: Understudy, service: Trial['service'], manner: Manner) {
    this.understudy = understudy
    this.#service = service
    this.#manner = manner
  }

  get service(): 'secrets' | 'platform' | 'mesh' | 'scheduler' {
    return this.#service
  }

  static async begin(
    service: Trial['service'],
    manner: Manner,
    options: UnderstudyOptions = {},
  ): Promise<Trial> {
    const understudy = await createUnderstudy({
      seed: 'mistakes',
      clock: 'frozen@2026-01-01T00:00:00Z',
      apiPorts: { mesh: 0, scheduler: 0 },
      ...options,
    })
    await understudy.listen()
    return new Trial(understudy, service, manner)
  }

  async make(mistake: Mistake): Promise<Told> {
    this.#worlds += 1
    const world = this.understudy.createWorld({
      id: `w${this.#worlds}`,
      ...(mistake.options === undefined ? {} : { options: { [this.#service]: mistake.options } }),
    })
    const saved = new Map<string, string>()
    const own = this.understudy.apiUrl(this.#service) ?? ''
    const go = (sent: Sent, origin = own) =>
      exchange(origin, { ...sent, path: `/_world/${world.id}${sent.path}` })
    for (const step of mistake.after ?? []) {
      const [, name, request = ''] = /^(?:(\w+(?:\.\w+)*)<-)?(.*)$/s.exec(step) ?? []
      const reply = await go(short(request, this.#manner, saved))
      if (reply.status >= 400) throw new Error(`${step}: ${reply.status} ${reply.body}`)
      if (name !== undefined) saved.set(name.split('.').at(-1) ?? '', pick(reply.body, name))
    }
    mistake.given?.(world)
    const origin = mistake.at === 'combined' ? this.understudy.url : own
    const sent = short(mistake.sent, this.#manner, saved)
    const reply = await go(sent, origin)
    const explanation = world.explain(String(reply.headers['x-mock-request']))
    const { wouldPass } = explanation
    if (wouldPass?.request === undefined) return { explanation, reply, later: undefined }
    if (mistake.rule.startsWith('rate-')) world.clock.advance(1000)
    const again = await go(restored(wouldPass.request, sent, world, mistake.options), origin)
    return {
      explanation,
      reply,
      later: world.explain(String(again.headers['x-mock-request'])).rule,
    }
  }
}

/**
 * Returns a suggested request with the values behind its fingerprints: those of the request that was
 * refused, those of the world's tokens and keys, and those of its options.
 */
export function restored(
  suggested: Sent,
  sent: Sent,
  world: ReturnType<Understudy['world']>,
  options: object = {},
): Sent {
  const { seed, services } = world.info()
  const fingerprint = fingerprintOf(seed)
  const known = [...secretsIn(sent), ...textsIn(services), ...textsIn(options)]
  const secrets = known.map((plain) => [fingerprint(plain), plain] as const)
  return restore(suggested, secrets) as Sent
}

/** Returns a member of a reply by its path, `auth.client_token`, as a text in JSON has it. */
function pick(body: string, path: string): string {
  let value: unknown = JSON.parse(body)
  for (const name of path.split('.')) value = Object(value)[name]
  return JSON.stringify(String(value)).slice(1, -1)
}

/** Returns every text that may have been redacted. */
function secretsIn({ headers = {}, body, path }: Sent): string[] {
  const texts = Object.values(headers).flatMap((value) => [value, ...value.split(' ')])
  const parsed = typeof body === 'string' && /^[{["]/.test(body) ? tryParse(body) : body
  return [...texts, ...path.split(/[/?=&]/), ...textsIn(parsed)].filter((text) => text !== '')
}

/** Returns the texts in a value, at any depth. */
function textsIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsIn)
    : [String(value)]
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function restore(value: unknown, secrets: readonly (readonly [string, string])[]): unknown {
  if (typeof value === 'string') {
    return secrets.reduce((text, [shown, plain]) => text.replaceAll(shown, plain), value)
  }
  if (Array.isArray(value)) return value.map((each) => restore(each, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, restore(each, secrets)]),
  )
}

const validator = sharedValidator

/** Asserts that the mistake is named first and that the suggested request passes. */
export function expectNamed({ rule, says, passes }: Mistake, { explanation, later }: Told): void {
  expect(validator.check(explanationShape, explanation, 'it')).toEqual([])
  expect(explanation.rule).toBe(rule)
  for (const words of says) expect(explanation.because).toContain(words)
  expect(explanation.because).toMatch(/[.!?]$/)
  expect(explanation.because).not.toContain('token token')
  expect(explanation.because).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/)
  expect(explanation.steps.at(-1)).toMatchObject({ passed: false })
  expect(explanation.nearest.length).toBeLessThanOrEqual(3)
  const hasRequest = explanation.wouldPass?.request !== undefined
  expect(hasRequest).toBe(!kindsWithoutRequest.has(rule))
  if (hasRequest) expect(later).not.toBe(rule)
  if (passes) expect(later).toBe(null)
}

/** Kinds of refusals for which no request would pass, as the guide lists them. */
const kindsWithoutRequest: ReadonlySet<string> = new Set(
  Array.from(
    readFileSync(fileOf('docs/guide/explanations.md'), 'utf8').matchAll(/^\| `([a-z-]+)` \|/gm),
    ([, rule = '']) => rule,
  ),
)

/** Asserts that of ten kinds of refusals at most one has no request that would pass. */
export function expectFewWithoutRequest(mistakes: readonly Mistake[]): void {
  const kinds = new Set(mistakes.map(({ rule }) => rule))
  const without = [...kinds].filter((rule) => kindsWithoutRequest.has(rule))
  expect(without.length / kinds.size).toBeLessThanOrEqual(0.1)
}
