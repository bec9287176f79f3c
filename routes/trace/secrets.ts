import { freshSeed } from '../../state/kernel/entropy.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import { mapScalars } from '../journal/redact.ts'
import { spellingsOf, textsWithin } from './spellings.ts'
import { prefixLength, TextReplacer } from './text-search.ts'

/** Number of levels of nesting that are searched by recursion. */
const maxDepth = 200

/**
 * Secrets of a run. Every secret that is replaced in a declared location becomes known, and known
 * secrets are replaced wherever they appear. Secrets of fewer than 8 characters and the default
 * tokens are replaced in declared locations only, because they may be ordinary words
 * (behaviour/program#traces).
 */
export class TraceSecrets {
  /** True if only seeds are hidden. */
  readonly keepsValues: boolean
  readonly #fingerprint = fingerprintOf(freshSeed())
  readonly #fingerprints = new Map<string, string>()
  readonly #replacer = new TextReplacer()
  readonly #known = new Set<string>()

  /**
   * @param defaultTokens tokens that every fresh world has
   */
  constructor(keepsValues: boolean, defaultTokens: Iterable<string>) {
    this.keepsValues = keepsValues
    for (const token of defaultTokens) this.#known.add(token)
  }

  /**
   * Returns the placeholder of a secret at a declared location, and remembers the secret. If values
   * are kept, returns the secret itself and does not remember it.
   */
  readonly rememberAndFingerprint: Fingerprint = (secret) => {
    if (this.keepsValues) return secret
    this.#remember(secret)
    return this.fingerprint(secret)
  }

  /**
   * Returns the placeholder of a possible secret; the value itself if values are kept. Unlike
   * `rememberAndFingerprint`, does not remember the value.
   */
  readonly fingerprint: Fingerprint = (value) => {
    return this.keepsValues ? value : this.#fingerprintOf(value)
  }

  /**
   * Adds a secret that is to be replaced wherever it appears. Has no effect if values are kept, or
   * if the secret is undefined, too short or a default token.
   */
  add(secret: string | undefined): void {
    if (secret !== undefined && !this.keepsValues) this.#remember(secret)
  }

  /** Remembers a seed. Seeds are hidden even if values are kept. */
  addSeed(seed: string): void {
    this.#addSpellings(seed)
  }

  /**
   * Returns a copy of a value in which all known secrets are replaced, including secrets in names
   * of members.
   */
  hide<T>(value: T): T {
    // The cast is safe, because objects stay objects and lists stay lists.
    return this.#hide(value, 0) as T
  }

  /** Hides secrets as `hide` does. Yields before each member of the outermost `levels` levels. */
  *hideParts<T>(value: T, levels: number): Generator<void, T, undefined> {
    yield
    if (levels === 0 || typeof value !== 'object' || value === null) return this.hide(value)
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(yield* this.hideParts(item, levels - 1))
      return items as T
    }
    const members: [string, unknown][] = []
    for (const [name, item] of Object.entries(value)) {
      members.push([this.#replacer.replace(name), yield* this.hideParts(item, levels - 1)])
    }
    return Object.fromEntries(members) as T
  }

  #fingerprintOf(value: string): string {
    const known = this.#fingerprints.get(value)
    if (known !== undefined) return known
    const fingerprint = this.#fingerprint(value)
    this.#fingerprints.set(value, fingerprint)
    return fingerprint
  }

  #remember(secret: string): void {
    if (secret.length < prefixLength || this.#known.has(secret)) return
    this.#known.add(secret)
    this.#addSpellings(secret)
    for (const text of textsWithin(secret)) this.#remember(text)
  }

  #addSpellings(secret: string): void {
    const replacement = this.#fingerprintOf(secret)
    for (const spelling of spellingsOf(secret)) this.#replacer.add(spelling, replacement)
  }

  /** Hides secrets as `hide` does. Returns the value itself if it contains no secret. */
  #hide(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#replacer.replace(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === maxDepth) return this.#hideDeep(value)
    let isChanged = false
    if (Array.isArray(value)) {
      const items = value.map((item) => {
        const hidden = this.#hide(item, depth + 1)
        isChanged ||= hidden !== item
        return hidden
      })
      return isChanged ? items : value
    }
    const members = Object.entries(value)
    for (const member of members) {
      const [name, item] = member
      member[0] = this.#replacer.replace(name)
      member[1] = this.#hide(item, depth + 1)
      isChanged ||= member[1] !== item || member[0] !== name
    }
    return isChanged ? Object.fromEntries(members) : value
  }

  /**
   * Hides secrets as `#hide` does, but without recursion, because values may be nested as deeply
   * as JSON permits.
   */
  #hideDeep(value: unknown): unknown {
    const replace = (text: string) => this.#replacer.replace(text)
    return mapScalars(
      value,
      (scalar) => (typeof scalar === 'string' ? replace(scalar) : scalar),
      replace,
    )
  }
}
