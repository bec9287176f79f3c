import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Name } from './read-source.ts'

/** A retired word: what to look for, and the word to use instead. */
export interface Retired {
  /**
   * `word` is a part of identifiers, `name` a whole identifier, `member` the name of a property or
   * method, `prefix` the first part of longer identifiers, `type` the whole name of a type, `file`
   * the name of a file up to its first dot.
   */
  readonly kind: 'word' | 'name' | 'member' | 'prefix' | 'type' | 'file'
  readonly word: string
  readonly replacement: string
}

/** A name that may contain a retired word. */
export interface Exempt {
  readonly name: string
  /** True if only properties and methods may have the name. */
  readonly isMember: boolean
  readonly reason: string
}

export const kinds = ['word', 'name', 'member', 'prefix', 'type', 'file'] as const

/**
 * Reads `retired.txt`: a kind, a word and its replacement in each line. Throws for an unknown kind
 * and for an incomplete line.
 */
export function readRetired(): readonly Retired[] {
  return listLines('retired.txt').map((line) => {
    const [kind, word = '', ...replacement] = line.split(/\s+/)
    const known = kinds.find((name) => name === kind)
    if (known === undefined || replacement.length === 0) throw new Error(`retired.txt: ${line}`)
    return { kind: known, word, replacement: replacement.join(' ') }
  })
}

/**
 * Reads `exempt.txt`: a name and the reason in each line; `.name` is exempt as a member only.
 * Throws for a line without a reason.
 */
export function readExempt(): readonly Exempt[] {
  return listLines('exempt.txt').map((line) => {
    const [name = '', ...reason] = line.split(/\s+/)
    if (reason.length === 0) throw new Error(`exempt.txt: no reason for ${name}`)
    return { name: name.replace('.', ''), isMember: name.startsWith('.'), reason: reason.join(' ') }
  })
}

function listLines(file: string): readonly string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** Returns the parts of an identifier in lower case: `toldTimes2` has `told`, `times` and `2`. */
export function partsOf(identifier: string): readonly string[] {
  return identifier
    .replaceAll(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])|(\D)(?=\d)|(\d)(?=\D)/g, '$& ')
    .toLowerCase()
    .split(/[ _$#-]+/)
    .filter((part) => part !== '')
}

/** Returns a function that finds the retired word in a name, if it has one. */
export function nameChecker(
  retired: readonly Retired[],
  exempt: readonly Exempt[],
): (name: Pick<Name, 'text' | 'role'>) => Retired | undefined {
  const words = retired
    .filter(({ kind }) => kind === 'word')
    .map((entry) => ({ entry, joined: `-${partsOf(entry.word).join('-')}-` }))
  const prefixes = retired.filter(({ kind }) => kind === 'prefix')
  const whole = retired.filter(({ kind }) => ['name', 'member', 'type'].includes(kind))
  const known = new Map<string, readonly Retired[]>()

  /** Returns the entries that fit a name in any role. */
  const find = (text: string): readonly Retired[] => {
    const name = text.replace(/^#/, '')
    const joined = `-${partsOf(name).join('-')}-`
    const isLonger = ({ word }: Retired) =>
      joined.startsWith(`-${word}-`) && joined.length > word.length + 2
    return [
      ...words.filter((word) => joined.includes(word.joined)).map(({ entry }) => entry),
      ...prefixes.filter(isLonger),
      ...whole.filter(({ word }) => name === word),
    ]
  }
  const isExempt = ({ text, role }: Pick<Name, 'text' | 'role'>) =>
    exempt.some(({ name, isMember }) => name === text && (!isMember || role === 'member'))

  return (name) => {
    const entries = known.get(name.text) ?? find(name.text)
    known.set(name.text, entries)
    if (entries.length === 0 || isExempt(name)) return undefined
    return entries.find(({ kind }) => {
      return (kind !== 'member' && kind !== 'type') || kind === name.role
    })
  }
}

/**
 * Returns the retired name that a file has, if any. The entry `kept-*` matches every name that
 * begins with `kept-`.
 */
export function retiredFile(retired: readonly Retired[], file: string): Retired | undefined {
  const [name = ''] = basename(file).split('.')
  return retired.find(({ kind, word }) => {
    if (kind !== 'file') return false
    return word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word
  })
}
