import { quoteGo } from '../../state/go/text.ts'
import { malformed, rejected } from '../../state/scheduler/refusals.ts'
import { readWaitOptions, type WaitOptions } from '../http/blocking.ts'
import type { Query } from '../http/query.ts'

/** How long a blocking read waits at most: 300 seconds, in milliseconds (section 1, Blocking). */
const longestWait = 300_000

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, false])),
}

/** A truth value as Go reads it; undefined when it is none. */
export function parseBool(text: string): boolean | undefined {
  return Object.hasOwn(truths, text) ? truths[text] : undefined
}

/** A truth value of the query; refuses what is none (500, 3b-scheduler-decisions.md section 1). */
export function boolParameter(query: Query, name: string): boolean | undefined {
  const sent = query.value(name)
  if (sent === undefined) return undefined
  const value = parseBool(sent)
  if (value !== undefined) return value
  const reason = `strconv.ParseBool: parsing ${quoteGo(sent)}: invalid syntax`
  throw rejected(`Failed to parse value of ${quoteGo(name)} (${sent}) as a bool: ${reason}`)
}

/** A whole number of the query, not negative; refuses what is none (500). */
export function uintParameter(query: Query, name: string): number | undefined {
  const sent = query.value(name)
  if (sent === undefined) return undefined
  const problem = uintProblem(sent)
  if (problem === undefined) return Number(sent)
  throw rejected(
    `Failed to parse value of ${quoteGo(name)} (${sent}) as a uint64: strconv.ParseUint: parsing ${quoteGo(sent)}: ${problem}`,
  )
}

/** A whole number of the query; refuses what is none (500). */
export function intParameter(query: Query, name: string): number | undefined {
  const sent = query.value(name)
  if (sent === undefined) return undefined
  const problem = intProblem(sent)
  if (problem === undefined) return Number(sent)
  throw rejected(
    `Failed to parse value of ${quoteGo(name)} (${sent}) as a int: strconv.Atoi: parsing ${quoteGo(sent)}: ${problem}`,
  )
}

function intProblem(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax'
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range'
}

/** Why a text is no unsigned number of 64 bits; undefined when it is one. */
export function uintProblem(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!/^\d+$/.test(text)) return 'invalid syntax'
  return BigInt(text) < 2n ** 64n ? undefined : 'value out of range'
}

/** What every read takes (section 1). */
export interface ReadOptions extends WaitOptions {
  /** How many entries a page has; 0: all of them. */
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
    throw malformed('Expect `true` or `false` for `stale` query string parameter')
  }
  const perPage = query.value('per_page') ?? '0'
  if (!/^[+-]?\d+$/.test(perPage) || Math.abs(Number(perPage)) >= 2 ** 31) {
    throw malformed('Expect a number for `per_page` query string parameter')
  }
  const wait = readWaitOptions(query.value, longestWait)
  return {
    ...wait,
    perPage: Math.max(0, Number(perPage)),
    nextToken: query.value('next_token') ?? '',
    prefix: query.value('prefix') ?? '',
    filter: query.value('filter') ?? '',
    reverse: parseBool(query.value('reverse') ?? '') ?? false,
  }
}
