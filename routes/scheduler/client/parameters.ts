import { quoteGo } from '../../../state/go/text.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import type { Query } from '../../http/query.ts'
import { intError, parseBool } from '../query.ts'
import type { Slice } from './frames.ts'

/** Parses a number of bytes. Throws a 400 for a malformed one. */
export function bytesParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  return text === undefined ? undefined : bytesOf(name, text)
}

/** Parses a required number of bytes. Throws a 400 if it is missing or malformed. */
export function requiredBytesParameter(query: Query, name: string): number {
  return bytesOf(name, query.value(name) ?? '')
}

function bytesOf(name: string, text: string): number {
  const why = intError(text)
  if (why === undefined) return Number(text)
  const fault = `strconv.ParseInt: parsing ${quoteGo(text)}: ${why}`
  throw refuse('parameter-unreadable', { name, why: fault })
}

/** Parses a boolean. Throws a 400 for a malformed one. */
export function clientBoolParameter(query: Query, name: string): boolean | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const value = parseBool(text)
  if (value !== undefined) return value
  const why = `strconv.ParseBool: parsing ${quoteGo(text)}: invalid syntax`
  throw refuse('truth-unreadable', { name, why })
}

/** Returns the end of the file from which offsets count. Throws a 400 for an unknown value. */
export function originParameter(query: Query): Slice['origin'] {
  const origin = query.value('origin') ?? 'start'
  if (origin === 'start' || origin === 'end') return origin
  throw refuse('origin-invalid')
}
