import { quoteGo } from '../../../state/go/text.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import type { Query } from '../../http/query.ts'
import { intError, parseBool } from '../query.ts'
import type { Slice } from './frames.ts'

/** A number of bytes of the query; refuses what is none (400). */
export function bytesParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  return text === undefined ? undefined : bytesOf(name, text)
}

/** The same of one that must be there. */
export function requiredBytesParameter(query: Query, name: string): number {
  return bytesOf(name, query.value(name) ?? '')
}

function bytesOf(name: string, text: string): number {
  const why = intError(text)
  if (why === undefined) return Number(text)
  const fault = `strconv.ParseInt: parsing ${quoteGo(text)}: ${why}`
  throw refuse('parameter-unreadable', { name, why: fault })
}

/** A truth value of the query; refuses what is none (400). */
export function clientBoolParameter(query: Query, name: string): boolean | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const value = parseBool(text)
  if (value !== undefined) return value
  const why = `strconv.ParseBool: parsing ${quoteGo(text)}: invalid syntax`
  throw refuse('truth-unreadable', { name, why })
}

/** From which end a part of a file is counted; refuses any other (400). */
export function originParameter(query: Query): Slice['origin'] {
  const origin = query.value('origin') ?? 'start'
  if (origin === 'start' || origin === 'end') return origin
  throw refuse('origin-invalid')
}
