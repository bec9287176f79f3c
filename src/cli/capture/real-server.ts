import { isObject } from '../../../state/kernel/objects.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import { fetchWithinOrigin } from '../fetch-within-origin.ts'

/** Error for a missing or unusable reply of a server. The message has one line. */
export class RealServerError extends Error {
  /** HTTP status of the reply; undefined if there was no reply. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'RealServerError'
    this.status = status
  }
}

/** Milliseconds after which a request fails. */
const requestTimeout = 30_000

/** Read-only client of a running server with the API of one of the products. */
export class RealServer {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>

  /**
   * @throws {ConfigError} if the address is not a URL
   */
  constructor(flag: string, url: string, headers: Readonly<Record<string, string>>) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new ConfigError(
        `--${flag} must be the address of a server, such as https://vault.example.test:8200`,
      )
    }
    this.url = trimEndOf(url, '/')
    this.#headers = headers
  }

  /**
   * Reads a path below `/v1/`.
   *
   * @returns the JSON of the reply; undefined for a 404
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
      const reply = await fetchWithinOrigin(address, { headers: this.#headers, signal })
      return { status: reply.status, text: await reply.text() }
    } catch (error) {
      // The error of `fetch` only states that the request failed; the error's cause has the reason.
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new RealServerError(`${this.url} did not answer: ${reasonOf(cause)}`)
    }
  }
}

/** Returns the member at a path of names; undefined if there is no such member. */
export function memberOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (each, name) => (isObject(each) && Object.hasOwn(each, name) ? each[name] : undefined),
    value,
  )
}

/** Returns the members of an object; an empty list for any other value. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : []
}

/** Returns the items of a list; an empty list for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the string at a path of names; an empty string if there is no string at the path. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const text = memberOf(value, ...names)
  return typeof text === 'string' ? text : ''
}

/**
 * Returns an object without empty members: null, zero, false, and empty texts, lists and objects.
 */
export function omitEmpty(value: unknown): Record<string, unknown> {
  return Object.fromEntries(entriesOf(value).filter(([, member]) => !isEmpty(member)))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
