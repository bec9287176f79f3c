import { type KeyObject, verify } from 'node:crypto'
import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'
import { loginRefused } from './messages.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const shortDayPattern = days.map((day) => day.slice(0, 3)).join('|')
const monthPattern = months.join('|')
const timePattern = '(\\d{2}:\\d{2}:\\d{2})'

/** Preferred date format: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const imfFixdate = new RegExp(
  `^(?:${shortDayPattern}), (\\d{2}) (${monthPattern}) (\\d{4}) ${timePattern} GMT$`,
)
/** Date format of RFC 850: `Sunday, 06-Nov-94 08:49:37 GMT`. */
const rfc850Date = new RegExp(
  `^(?:${days.join('|')}), (\\d{2})-(${monthPattern})-(\\d{2}) ${timePattern} GMT$`,
)
/** Date format of `asctime` in C: `Sun Nov 6 08:49:37 1994`. */
const asctimeDate = new RegExp(
  `^(?:${shortDayPattern}) (${monthPattern}) ([ \\d]\\d) ${timePattern} (\\d{4})$`,
)

/**
 * Parses an HTTP date in one of its three forms (RFC 9110 section 5.6.7). As in the reference, the
 * day of the week is not checked.
 *
 * @returns milliseconds since 1970; undefined for text that is not a date.
 */
export function parseHttpDate(text: string): number | undefined {
  const [, day = '', name = '', year = '', clock = ''] = imfFixdate.exec(text) ?? []
  if (year !== '') return instantOf(year, name, day, clock)
  const [, rfc850Day = '', rfc850Month = '', shortYear = '', rfc850Clock = ''] =
    rfc850Date.exec(text) ?? []
  if (shortYear !== '') {
    // As in Go, two-digit years from 69 on belong to the 20th century.
    const century = Number(shortYear) >= 69 ? '19' : '20'
    return instantOf(century + shortYear, rfc850Month, rfc850Day, rfc850Clock)
  }
  const [, asctimeMonth = '', asctimeDay = '', asctimeClock = '', asctimeYear = ''] =
    asctimeDate.exec(text) ?? []
  return asctimeYear === ''
    ? undefined
    : instantOf(asctimeYear, asctimeMonth, asctimeDay.replace(' ', '0'), asctimeClock)
}

function instantOf(year: string, name: string, day: string, clock: string): number | undefined {
  const number = String(months.indexOf(name) + 1).padStart(2, '0')
  return parseTimestamp(`${year}-${number}-${day}T${clock}Z`)
}

const millisecondsInDay = 86_400_000

/** Formats an instant as an HTTP date, truncated to seconds: `Thu, 01 Jan 2026 00:00:00 GMT`. */
export function formatHttpDate(instant: number): string {
  const [date = '', clock = ''] = formatTimestamp(instant).split('T')
  const [year = '', number = '', day = ''] = date.split('-')
  // 1 January 1970 was a Thursday.
  const weekday = days[(Math.floor(instant / millisecondsInDay) + 4) % 7] ?? ''
  const name = months[Number(number) - 1] ?? ''
  return `${weekday.slice(0, 3)}, ${day} ${name} ${year} ${clock.slice(0, 8)} GMT`
}

/** Headers of a login in their original spelling, with one or more values each. */
export type RawHeaders = Readonly<Record<string, readonly string[]>>

/** Headers of a login by name in lower case. Multiple values are joined. */
export type HeaderTexts = ReadonlyMap<string, string>

/** The pseudo header whose value is the request's method and path. */
export const requestTarget = '(request-target)'

/** The headers that a signature must cover, in the order in which the mock signs them. */
export const coveredHeaders: readonly string[] = ['date', requestTarget, 'host']

/** Maximum difference between a signature's date and the world's clock, in milliseconds. */
const maxSkew = 5 * 60 * 1000

/**
 * Converts headers to their signed form: puts names in lower case, joins multiple values and trims
 * surrounding blanks. Headers without values are left out.
 */
export function headerTexts(headers: RawHeaders): HeaderTexts {
  const values = new Map<string, string[]>()
  for (const [name, rawValues] of Object.entries(headers)) {
    if (rawValues.length === 0) continue
    const key = name.toLowerCase()
    values.set(key, [...(values.get(key) ?? []), ...rawValues])
  }
  return new Map(
    Array.from(values, ([name, signedHeaders]) => [
      name,
      signedHeaders.map((value) => value.trim()).join(', '),
    ]),
  )
}

/** Returns the signed text: a line `name: value` for each name, in the given order. */
export function signingString(headers: HeaderTexts, names: readonly string[]): string {
  return names.map((name) => `${name}: ${headers.get(name) ?? ''}`).join('\n')
}

/** A well-formed signature over headers. The signature itself is not yet verified. */
export interface SignedHeaders {
  readonly keyId: string
  readonly signed: string
  readonly signature: Uint8Array
}

/**
 * Parses the `authorization` header and makes all checks that need no key: form, version,
 * algorithm, covered headers, date (behaviour/secrets#cloud-login, step 3).
 * @param now in milliseconds since 1970
 * @throws Refusal `denied` with the failed check
 */
export function readSignature(headers: HeaderTexts, now: number): SignedHeaders {
  const authorization = headers.get('authorization')
  if (authorization === undefined) {
    throw loginRefused('login-authorization-missing', 'there is no authorization header')
  }
  const parameters = parseAuthorization(authorization)
  const parameter = (name: string): string => {
    const value = parameters.get(name.toLowerCase()) ?? ''
    if (value !== '') return value
    throw loginRefused('login-authorization-parameter', `the authorization header has no ${name}`)
  }
  const version = parameters.get('version') ?? '1'
  if (version !== '1') {
    throw loginRefused('login-version', `the signature's version is "${version}", not "1"`)
  }
  const algorithm = parameter('algorithm').toLowerCase()
  if (algorithm !== 'rsa-sha256') {
    throw loginRefused('login-algorithm', `the algorithm is "${algorithm}", not "rsa-sha256"`)
  }
  const names = parameter('headers').toLowerCase().trim().split(/\s+/)
  checkSignedHeaders(headers, names)
  checkDate(headers.get('date') ?? '', now)
  return {
    keyId: parameter('keyId'),
    signed: signingString(headers, names),
    signature: decodeSignature(parameter('signature')),
  }
}

function checkSignedHeaders(headers: HeaderTexts, names: readonly string[]): void {
  for (const name of coveredHeaders) {
    if (names.includes(name)) continue
    throw loginRefused('login-signed-headers', `the signature does not cover ${name}`)
  }
  // Reject repeated names, because a long header that is named many times would make the signed
  // text very long.
  if (new Set(names).size !== names.length) {
    throw loginRefused('login-signed-headers', 'the signature covers a header twice')
  }
  for (const name of names) {
    if (headers.has(name)) continue
    throw loginRefused('login-header-missing', `the signature covers ${name}, which was not sent`)
  }
}

function checkDate(text: string, now: number): void {
  const date = parseHttpDate(text)
  if (date === undefined) throw loginRefused('login-date-form', `"${text}" is not an HTTP date`)
  if (Math.abs(now - date) <= maxSkew) return
  throw loginRefused(
    'login-date-skew',
    `the date "${text}" is more than five minutes from ${formatHttpDate(now)}`,
  )
}

function decodeSignature(text: string): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw loginRefused('login-signature-form', `the signature is not base64: ${error.message}`)
  }
}

/**
 * Returns whether the private half of `publicKey` made a signature with RSA, PKCS#1 v1.5 and
 * SHA-256. Returns false for keys of other types.
 */
export function isSignedBy({ signed, signature }: SignedHeaders, publicKey: KeyObject): boolean {
  return (
    publicKey.asymmetricKeyType === 'rsa' &&
    verify('sha256', Buffer.from(signed), publicKey, signature)
  )
}

/** Parameters of an `authorization` header, by name in lower case. */
type AuthorizationParameters = ReadonlyMap<string, string>

/**
 * Maximum length of an `authorization` header in characters. A key id with a security token is much
 * shorter; the limit bounds the work on hostile input.
 */
const maxLength = 64 * 1024

const schemePattern = /^[ \t]*signature[ \t]+/i
const parameterPattern =
  /[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",\\]+))[ \t]*(,|$)/isy

/**
 * Parses an `authorization` header of the scheme `Signature`: parameters in any order, whose values
 * are quoted, or bare if they contain no blanks, quotes, commas or backslashes
 * (behaviour/secrets#api-cloud).
 *
 * @throws Refusal `denied` for malformed text and for a repeated parameter.
 */
export function parseAuthorization(text: string): AuthorizationParameters {
  if (text.length > maxLength) throw refuseMalformed(`it is longer than ${maxLength} characters`)
  const start = schemePattern.exec(text)?.[0].length
  if (start === undefined) throw refuseMalformed('it does not begin with "Signature"')
  const parameters = new Map<string, string>()
  parameterPattern.lastIndex = start
  for (;;) {
    const at = parameterPattern.lastIndex
    const [, name, quoted, unquoted = '', end] = parameterPattern.exec(text) ?? []
    if (name === undefined) throw refuseMalformed(`there is no parameter at character ${at + 1}`)
    const key = name.toLowerCase()
    if (parameters.has(key)) throw refuseMalformed(`the parameter ${name} is there twice`)
    parameters.set(key, quoted === undefined ? unquoted : quoted.replace(/\\(.)/gs, '$1'))
    if (end === '') return parameters
  }
}

function refuseMalformed(why: string) {
  return loginRefused('login-authorization-form', `the authorization header is malformed: ${why}`)
}
