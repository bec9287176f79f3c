import fc from 'fast-check'
import type { GeneratedRequest } from '../support/generated/generated-requests.ts'

/** Function that turns a request into a hostile one. */
type Spoil = (request: GeneratedRequest, at: number) => GeneratedRequest

const oddTexts: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '%',
  '%00',
  '%C0%80',
  '%2e%2e%2f',
  '%ff',
  '\u0000',
  '\ud800',
  '💥',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '1e400',
  '9'.repeat(400),
  'a'.repeat(20_000),
  '/'.repeat(20_000),
  'a/'.repeat(10_000),
  '*'.repeat(2000),
  '?list=true&list=',
  "' or 1=1 --",
  '<script>',
]

const deep = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth)

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, String(n)]))

/** Functions that return odd bodies, some of them large, created only when needed. */
const oddBodies: readonly (() => string)[] = [
  () => '',
  () => 'null',
  () => '0',
  () => '"text"',
  () => '[]',
  () => '[null]',
  () => '{}',
  () => '{"":""}',
  () => '\ufeff{}',
  () => '{"a":1}{"b":2}',
  () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  () => '{"data":{"__proto__":{"polluted":true}},"options":{"cas":1e308}}',
  () => '{"n":1e400,"m":-1e400,"o":123456789012345678901234567890}',
  () => '{"a":"\\ud800"}',
  () => deep('[', ']', 20_000),
  () => deep('{"a":', '', 20_000),
  () => `{"Job":${deep('{"a":', '}', 3000)}}`,
  () => `{"data":{"type":"x","attributes":${deep('[', ']', 3000)}}}`,
  () => JSON.stringify({ a: 'x'.repeat(1_000_000) }),
  () => JSON.stringify(members(20_000)),
  () => JSON.stringify({ match: { body: members(1000) } }),
  () => JSON.stringify({ match: { headers: members(20_000) } }),
  () => JSON.stringify({ sequence: Array(500).fill({ path: '/**/**/**/x' }), strict: true }),
  () => JSON.stringify({ policies: Array.from({ length: 20_000 }, (_, n) => `p${n}`) }),
  () => JSON.stringify({ paths: Array.from({ length: 5000 }, (_, n) => `secret/data/${n}`) }),
  () => JSON.stringify({ policy: 'path "a/*" { capabilities = ["read"] }\n'.repeat(5000) }),
  () => JSON.stringify({ JobHCL: 'job "a" {\n'.repeat(3000) }),
  () => JSON.stringify({ JobHCL: `job "a" { meta { a = "${'${'.repeat(3000)}" } }` }),
  () => JSON.stringify({ Rules: 'namespace "a" { policy = "read" }\n'.repeat(5000) }),
]

const headers: readonly (readonly [string, string])[] = [
  ['authorization', 'Bearer '],
  ['authorization', `Bearer ${'a'.repeat(20_000)}`],
  ['authorization', 'Basic Og=='],
  ['x-secrets-token', 's.unknown'],
  ['x-vault-namespace', '../root'],
  ['x-secrets-namespace', 'a/b/c/'],
  ['x-vault-wrap-ttl', '1e9'],
  ['x-secrets-wrap-ttl', '-1s'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', 'multipart/form-data; boundary='],
  ['content-encoding', 'gzip'],
  ['accept', 'text/html, */*;q=0'],
  ['accept-encoding', 'gzip;q=0, *'],
  ['host', 'localhost:99999'],
  ['host', '[::1'],
  ['origin', 'http://evil.example'],
  ['x-forwarded-for', '1.2.3.4, ::1'],
  ['if-none-match', '*'],
  ['cache-control', 'max-age=-1'],
  ['x-mock-world', 'none'],
]

const parameters: readonly string[] = [
  'index=1',
  'index=-1',
  'index=99999999999999999999',
  'per_page=0',
  'per_page=999999999999',
  'next_token=%00',
  'page[size]=-1',
  'page[number]=1e9',
  'filter=',
  `filter=${encodeURIComponent('('.repeat(2000))}`,
  `filter=${encodeURIComponent('a == 1 and '.repeat(500))}b == 2`,
  `prefix=${'a'.repeat(5000)}`,
  'recurse&keys&separator=',
  'namespace=*',
  'dc=none',
  'version=-1',
  'help=1',
  'list=true',
  'pretty',
  'a=1&a=2&a[]=3',
  '%7%=%',
]

const pick = <T>(all: readonly T[], at: number): T => all[at % all.length] as T

const withQuery = (url: string, query: string) => url + (url.includes('?') ? '&' : '?') + query

/** Length of long values in characters: more than a regular expression can repeat a group. */
const longLength = 4_000_000

/** Repeats a text, so that it stays a path, a number, base64 or a list of names. */
function longValue(text: string): string {
  const unit = text === '' ? 'a' : text
  return unit.repeat(Math.ceil(longLength / unit.length))
}

/** Makes one text of a JSON body long. Other bodies stay as they are. */
function withLongValue(payload: string, at: number): string {
  const lengthen = (text: string, position: number) =>
    position === at % Math.max(1, count) ? longValue(text) : text
  let count = 0
  const walk = (change?: typeof lengthen) => {
    let position = 0
    return JSON.stringify(
      JSON.parse(payload, (_name, value: unknown) => {
        if (typeof value !== 'string') return value
        position += 1
        if (change === undefined) count = position
        return change === undefined ? value : change(value, position - 1)
      }),
    )
  }
  try {
    walk()
    return walk(lengthen)
  } catch {
    return payload
  }
}

const spoils: readonly Spoil[] = [
  (request, at) => {
    const segments = request.url.split('/')
    segments[1 + (at % Math.max(1, segments.length - 1))] = pick(oddTexts, at >> 4)
    return { ...request, url: segments.join('/') }
  },
  (request, at) => ({ ...request, url: `${request.url}/${pick(oddTexts, at)}` }),
  (request, at) => ({ ...request, url: withQuery(request.url, pick(parameters, at)) }),
  (request, at) => {
    const [name, value] = pick(headers, at)
    return { ...request, headers: { ...request.headers, [name]: value } }
  },
  (request, at) => ({
    ...request,
    headers: { 'content-type': 'application/json', ...request.headers },
    payload: pick(oddBodies, at)(),
  }),
  (request, at) => {
    const text = request.payload ?? '{}'
    const place = at % (text.length + 1)
    const odd = JSON.stringify(pick(oddTexts, at >> 3)).slice(1, -1)
    return { ...request, payload: text.slice(0, place) + odd + text.slice(place) }
  },
  (request, at) => ({
    ...request,
    ...(request.payload && { payload: withLongValue(request.payload, at) }),
  }),
]

/** Choice of whether and how to make a request hostile. */
export interface Hostility {
  readonly way: number
  readonly at: number
}

/** Arbitrary of hostilities; two of three leave the request unchanged. */
export const anyHostility: fc.Arbitrary<Hostility> = fc.record({
  way: fc.nat(3 * spoils.length - 1),
  at: fc.nat(0xffff),
})

/**
 * Applies a hostility to a request. The URL keeps one leading slash, because clients cannot send
 * any other.
 */
export function hostile(request: GeneratedRequest, { way, at }: Hostility): GeneratedRequest {
  const spoil = spoils[way]
  if (spoil === undefined) return request
  const { url, ...rest } = spoil(request, at)
  return { ...rest, url: `/${url.replace(/^[/\\]+/, '')}` }
}
