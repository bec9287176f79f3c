/** Length of the prefix that the search hashes. Shorter texts cannot be found. */
export const prefixLength = 8

const hashFactor = 0x01000193
const filterBits = 18

/**
 * Search that replaces many texts in one pass. A rolling hash of the next characters rules out most
 * positions, so that the cost hardly depends on the number of texts to find.
 */
export class TextReplacer {
  readonly #replacements = new Map<string, string>()
  /**
   * Lengths of the texts to find, by the first `prefixLength` characters of these texts. The
   * longest length comes first.
   */
  readonly #lengths = new Map<string, readonly number[]>()
  readonly #filter = new Uint8Array(1 << filterBits)

  /**
   * Adds a text to find. Texts shorter than `prefixLength` are ignored. If a text is added again,
   * its first replacement is kept.
   */
  add(text: string, replacement: string): void {
    if (text.length < prefixLength) return
    if (this.#replacements.has(text)) return
    this.#replacements.set(text, replacement)
    const prefix = text.slice(0, prefixLength)
    const lengths = this.#lengths.get(prefix) ?? []
    if (!lengths.includes(text.length)) {
      const all = [...lengths, text.length].sort((one, other) => other - one)
      this.#lengths.set(prefix, all)
    }
    this.#filter[slotOf(hashOf(text, 0))] = 1
  }

  /**
   * Returns a text in which every occurrence of the added texts is replaced. If several of them
   * begin at one position, the longest is replaced.
   */
  replace(text: string): string {
    const last = text.length - prefixLength
    if (last < 0 || this.#replacements.size === 0) return text
    const pieces: string[] = []
    let copied = 0
    let at = 0
    let hash = hashOf(text, 0)
    while (at <= last) {
      const found = this.#filter[slotOf(hash)] === 1 ? this.#find(text, at) : undefined
      if (found === undefined) {
        hash = rollHash(hash, text.charCodeAt(at), text.charCodeAt(at + prefixLength))
        at += 1
      } else {
        pieces.push(text.slice(copied, at), found.replacement)
        at += found.length
        copied = at
        if (at <= last) hash = hashOf(text, at)
      }
    }
    return copied === 0 ? text : pieces.join('') + text.slice(copied)
  }

  #find(text: string, at: number) {
    const lengths = this.#lengths.get(text.slice(at, at + prefixLength)) ?? []
    for (const length of lengths) {
      const replacement = this.#replacements.get(text.slice(at, at + length))
      if (replacement !== undefined) return { length, replacement }
    }
    return undefined
  }
}

function hashOf(text: string, at: number): number {
  let hash = 0
  for (let next = at; next < at + prefixLength; next += 1) {
    hash = (Math.imul(hash, hashFactor) + text.charCodeAt(next)) | 0
  }
  return hash
}

/** Factor of the first character in a hash: `hashFactor` to the power of `prefixLength - 1`. */
const firstWeight = Array.from({ length: prefixLength - 1 }).reduce<number>(
  (weight) => Math.imul(weight, hashFactor),
  1,
)

function rollHash(hash: number, removed: number, added: number): number {
  // At the end of the text there is no next character, and the hash is not used.
  return (Math.imul(hash - Math.imul(removed, firstWeight), hashFactor) + (added | 0)) | 0
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - filterBits)
}
