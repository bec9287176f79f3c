import { quoteGo } from '../../../state/go/text.ts'
import { refuse } from '../../../state/scheduler/client/texts.ts'
import type { Query } from '../../http/query.ts'
import { intProblem, parseBool } from '../query.ts'
import type { Slice } from './frames.ts'

/** A number of bytes of the query; refuses what is none (400). */
export function bytesParameter(query: Query, name: string): number | undefined {
  const sent = query.value(name)
  return sent === undefined ? undefined : bytesOf(name, sent)
}

/** The same of one that must be there. */
export function neededBytes(query: Query, name: string): number {
  return bytesOf(name, query.value(name) ?? '')
}

function bytesOf(name: string, sent: string): number {
  const why = intProblem(sent)
  if (why === undefined) return Number(sent)
  const fault = `strconv.ParseInt: parsing ${quoteGo(sent)}: ${why}`
  throw refuse('parameter-unreadable', { name, why: fault })
}

/** A truth value of the query; refuses what is none (400). */
export function truthParameter(query: Query, name: string): boolean | undefined {
  const sent = query.value(name)
  if (sent === undefined) return undefined
  const value = parseBool(sent)
  if (value !== undefined) return value
  const why = `strconv.ParseBool: parsing ${quoteGo(sent)}: invalid syntax`
  throw refuse('truth-unreadable', { name, why })
}

/** From which end a part of a file is counted; refuses any other (400). */
export function originParameter(query: Query): Slice['origin'] {
  const origin = query.value('origin') ?? 'start'
  if (origin === 'start' || origin === 'end') return origin
  throw refuse('origin-invalid')
}
