import { quoteGo } from '../../state/go/text.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { readWaitOptions, type WaitOptions } from '../http/blocking/blocking.ts'
import type { Query } from '../http/query.ts'

/** The longest wait of a blocking read: 300 seconds, in milliseconds (behaviour/scheduler#blocking). */
const maxWait = 300_000

/** The spellings of truth values that Go reads. */
export const booleanTexts: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, false])),
}

/** A truth value as Go reads it; undefined when it is none. */
export function parseBool(text: string): boolean | undefined {
  return Object.hasOwn(booleanTexts, text) ? booleanTexts[text] : undefined
}

/** A truth value of the query; refuses what is none (500, behaviour/scheduler#conventions). */
export function boolParameter(query: Query, name: string): boolean | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const value = parseBool(text)
  if (value !== undefined) return value
  throw refuse('parameter-no-bool', { name: quoteGo(name), value: text, quoted: quoteGo(text) })
}

/** A whole number of the query, not negative; refuses what is none (500). */
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

/** A whole number of the query; refuses what is none (500). */
export function intParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const why = intError(text)
  if (why === undefined) return Number(text)
  throw refuse('parameter-no-int', { name: quoteGo(name), value: text, quoted: quoteGo(text), why })
}

/** Why a text is no whole number of 64 bits; undefined when it is one. */
export function intError(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax'
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range'
}

/** Why a text is no unsigned number of 64 bits; undefined when it is one. */
export function uintError(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^\d+$/.test(text)) return 'invalid syntax'
  return BigInt(text) < 2n ** 64n ? undefined : 'value out of range'
}

/** Refuses the first of the declared parameters that is not what it is declared to be (500). */
export function checkQuery(query: Query, declared: unknown): void {
  if (!isStruct(declared)) return
  for (const [name, { shape }] of Object.entries(declared.fields)) {
    if (shape.kind === 'bool') boolParameter(query, name)
    else if (shape.kind === 'int') intParameter(query, name)
    else if (shape.kind === 'uint') uintParameter(query, name)
  }
}

function isStruct(declared: unknown): declared is StructShape {
  return typeof declared === 'object' && declared !== null && 'fields' in declared
}

/** Options of every read (behaviour/scheduler#conventions). */
export interface ReadOptions extends WaitOptions {
  /** The number of entries of a page; 0: all of them. */
  readonly perPage: number
  readonly nextToken: string
  readonly prefix: string
  readonly filter: string
  readonly reverse: boolean
}

/** Reads the parameters of reads in the order in which the reference finds fault with them. */
export function readOptions(query: Query): ReadOptions {
  const stale = query.value('stale')
  if (stale !== undefined && parseBool(stale) === undefined) {
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
    reverse: parseBool(query.value('reverse') ?? '') ?? false,
  }
}
