import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'

/** A server that does not answer, or not as is needed; the message is one line. */
export class RealServerError extends Error {
  /** Of the answer; undefined without one. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'RealServerError'
    this.status = status
  }
}

/** In milliseconds until an answer counts as missing. */
const requestTimeout = 30_000

/** A server that listens somewhere and speaks one of the products' APIs; it is only read. */
export class RealServer {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>

  /** @throws {ConfigError} for an address that is none */
  constructor(flag: string, url: string, headers: Readonly<Record<string, string>>) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new ConfigError(
        `--${flag} must be the address of a server, as https://vault.example.test:8200`,
      )
    }
    this.url = trimEndOf(url, '/')
    this.#headers = headers
  }

  /**
   * Asks for a path below `/v1/`.
   *
   * @returns the answer's JSON; undefined for what is not there
   * @throws {RealServerError} for any other failure
   */
  async get(path: string): Promise<unknown> {
    const { status, text } = await this.#fetch(`${this.url}/v1/${path}`)
    if (status === 404) return undefined
    const excerpt = text.replaceAll(/\s+/g, ' ').slice(0, 200)
    if (status !== 200)
      throw new RealServerError(`/v1/${path} answered ${status}: ${excerpt}`, status)
    try {
      return JSON.parse(text)
    } catch {
      throw new RealServerError(`/v1/${path} did not answer with JSON: ${excerpt}`, status)
    }
  }

  async #fetch(address: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const signal = AbortSignal.timeout(requestTimeout)
      const reply = await fetch(address, { headers: this.#headers, signal })
      return { status: reply.status, text: await reply.text() }
    } catch (error) {
      // What fetch says itself is that it failed; why stands in the cause.
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new RealServerError(`${this.url} did not answer: ${reasonOf(cause)}`)
    }
  }
}

/** A member of an answer, along a path of names; undefined where it leads nowhere. */
export function memberOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (each, name) => (isRecord(each) && Object.hasOwn(each, name) ? each[name] : undefined),
    value,
  )
}

/** The members of an object; none of anything else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

/** The items of a list; none of anything else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A member that is a text; empty for anything else. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const text = memberOf(value, ...names)
  return typeof text === 'string' ? text : ''
}

/** An object without members that say nothing: null, empty texts and lists, zero and false. */
export function omitEmpty(value: unknown): Record<string, unknown> {
  return Object.fromEntries(entriesOf(value).filter(([, member]) => !isEmpty(member)))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
