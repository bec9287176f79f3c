import { parseGoBoolean } from '../../state/go/booleans.ts'
import { quoteGo } from '../../state/go/text.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { readWaitOptions, type WaitOptions } from '../http/blocking/blocking.ts'
import { isStruct } from '../http/declare/shape-or-schema.ts'
import type { Query } from '../http/query.ts'

/**
 * Maximum duration of a blocking read in milliseconds: 300 seconds (behaviour/scheduler#blocking).
 */
const maxWait = 300_000

/**
 * Parses a boolean parameter; undefined if the parameter is missing. Throws a refusal (500) for a
 * malformed value (behaviour/scheduler#conventions).
 */
export function boolParameter(query: Query, name: string): boolean | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const value = parseGoBoolean(text)
  if (value !== undefined) return value
  throw refuse('parameter-no-bool', { name: quoteGo(name), value: text, quoted: quoteGo(text) })
}

/**
 * Parses an unsigned integer parameter; undefined if the parameter is missing. Throws a refusal
 * (500) for a malformed value.
 */
export function uintParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const why = uintError(text)
  if (why === undefined) return Number(text)
  throw refuse('parameter-no-uint', {
    name: quoteGo(name),
    value: text,
    quoted: quoteGo(text),
    why,
  })
}

/**
 * Parses an integer parameter; undefined if the parameter is missing. Throws a refusal (500) for a
 * malformed value.
 */
export function intParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const why = intError(text)
  if (why === undefined) return Number(text)
  throw refuse('parameter-no-int', { name: quoteGo(name), value: text, quoted: quoteGo(text), why })
}

/** Returns the reason why a text is not a signed 64-bit integer; undefined for such an integer. */
export function intError(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax'
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range'
}

/**
 * Returns the reason why a text is not an unsigned 64-bit integer; undefined for such an integer.
 */
export function uintError(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^\d+$/.test(text)) return 'invalid syntax'
  return BigInt(text) < 2n ** 64n ? undefined : 'value out of range'
}

/** Throws a refusal (500) for the first declared parameter whose value has the wrong type. */
export function checkQuery(query: Query, declared: unknown): void {
  if (!isStruct(declared)) return
  for (const [name, { shape }] of Object.entries(declared.fields)) {
    if (shape.kind === 'bool') boolParameter(query, name)
    else if (shape.kind === 'int') intParameter(query, name)
    else if (shape.kind === 'uint') uintParameter(query, name)
  }
}

/** Parameters of every read (behaviour/scheduler#conventions). */
export interface ReadOptions extends WaitOptions {
  /** Number of entries per page; 0 for no limit. */
  readonly perPage: number
  readonly nextToken: string
  readonly prefix: string
  readonly filter: string
  readonly reverse: boolean
}

/**
 * Parses the parameters of reads in the reference's order of checks. Throws a refusal (400) for a
 * malformed parameter.
 */
export function readOptions(query: Query): ReadOptions {
  const stale = query.value('stale')
  if (stale !== undefined && parseGoBoolean(stale) === undefined) {
    throw refuse('stale-no-bool')
  }
  const perPage = query.value('per_page') ?? '0'
  if (!/^[+-]?\d+$/.test(perPage) || Math.abs(Number(perPage)) >= 2 ** 31) {
    throw refuse('per-page-no-number')
  }
  const { index, wait } = readWaitOptions(query.value, maxWait)
  return {
    index,
    wait,
    perPage: Math.max(0, Number(perPage)),
    nextToken: query.value('next_token') ?? '',
    prefix: query.value('prefix') ?? '',
    filter: query.value('filter') ?? '',
    reverse: parseGoBoolean(query.value('reverse') ?? '') ?? false,
  }
}
