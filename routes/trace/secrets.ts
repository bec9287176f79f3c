import { freshSeed } from '../../state/kernel/entropy.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import { spellingsOf, textsWithin } from './spellings.ts'
import { prefixLength, TextSearch } from './text-search.ts'

/**
 * Secrets of a run. Every secret that is replaced in a declared place becomes known, and known
 * secrets are replaced wherever they stand. Secrets of fewer than 8 characters and the default
 * tokens are replaced in declared places only, so that ordinary words survive
 * (behaviour/program#traces).
 */
export class TraceSecrets {
  /** True if only seeds are hidden. */
  readonly keepsValues: boolean
  readonly #fingerprint = fingerprintOf(freshSeed())
  readonly #fingerprints = new Map<string, string>()
  readonly #search = new TextSearch()
  readonly #known = new Set<string>()

  /**
   * @param defaultTokens tokens that every fresh world has
   */
  constructor(keepsValues: boolean, defaultTokens: Iterable<string>) {
    this.keepsValues = keepsValues
    for (const token of defaultTokens) this.#known.add(token)
  }

  /** Returns the placeholder of a secret in a declared place, and remembers the secret. */
  readonly declared: Fingerprint = (secret) => {
    if (this.keepsValues) return secret
    this.#remember(secret)
    return this.undeclared(secret)
  }

  /** Returns the placeholder of a value that may be no secret. */
  readonly undeclared: Fingerprint = (value) => {
    if (this.keepsValues) return value
    const known = this.#fingerprints.get(value)
    if (known !== undefined) return known
    const fingerprint = this.#fingerprint(value)
    this.#fingerprints.set(value, fingerprint)
    return fingerprint
  }

  /** Remembers a secret that stands in places which are not declared. */
  know(secret: string | undefined): void {
    if (secret !== undefined && !this.keepsValues) this.#remember(secret)
  }

  /** Remembers a seed, which is hidden even if values are kept. */
  knowSeed(seed: string): void {
    this.#addSpellings(seed)
  }

  /** Returns a value in which all known secrets are replaced, names of members included. */
  hide<T>(value: T): T {
    return this.#hidden(value) as T
  }

  #remember(secret: string): void {
    if (secret.length < prefixLength || this.#known.has(secret)) return
    this.#known.add(secret)
    this.#addSpellings(secret)
    for (const text of textsWithin(secret)) this.#remember(text)
  }

  #addSpellings(secret: string): void {
    const replacement = this.#fingerprint(secret)
    for (const spelling of spellingsOf(secret)) this.#search.add(spelling, replacement)
  }

  /** Returns the value itself if it contains no secret. */
  #hidden(value: unknown): unknown {
    if (typeof value === 'string') return this.#search.replace(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#hidden(item))
      return items.some((item, at) => item !== value[at]) ? items : value
    }
    let isChanged = false
    const members = Object.entries(value).map(([name, item]): [string, unknown] => {
      const hiddenName = this.#search.replace(name)
      const hidden = this.#hidden(item)
      isChanged ||= hidden !== item || hiddenName !== name
      return [hiddenName, hidden]
    })
    return isChanged ? Object.fromEntries(members) : value
  }
}
