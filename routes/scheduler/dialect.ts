import { type Message, renderMessage } from '../../state/kernel/message.ts'
import { toDialect } from '../../state/kernel/shape/dialect.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { vendorMessages } from './vendor-messages.ts'

/** The jobs API's side of a dialect (behaviour/scheduler#vendor-names). */
export interface SchedulerDialect {
  readonly name: DialectName
  /** True when callers see the vendor's names. */
  readonly isVendor: boolean
  /** Headers of the API by their names without prefix. */
  headers(values: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** A text in the dialect's words. */
  renderMessage(message: Message): string
  /** A value of a shape as it is written. */
  value(shape: Shape, value: unknown): unknown
}

/** Prefixes of the API's own headers: the neutral spelling, then the vendor's. */
const prefixes = ['X-Sched-', 'X-Nomad-'] as const

/** The spellings of the token's header that callers may send, in lower case and in order of precedence. */
export const tokenHeaders = prefixes.map((prefix) => `${prefix}Token`.toLowerCase())

/**
 * A text as headers carry it: its UTF-8 bytes, which Node writes for the characters of Latin-1. What
 * headers cannot carry becomes a blank, as Go's servers do with ends of lines.
 */
function headerValue(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return bytes.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
}

function withPrefix(
  prefix: string,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const prefixed: Record<string, string> = {}
  for (const name in values) prefixed[prefix + name] = headerValue(values[name] ?? '')
  return prefixed
}

const neutralDialect: SchedulerDialect = {
  name: 'neutral',
  isVendor: false,
  headers: (values) => withPrefix(prefixes[0], values),
  renderMessage,
  value: (_shape, value) => value,
}

const vendorDialect: SchedulerDialect = {
  name: 'vendor',
  isVendor: true,
  headers: (values) => withPrefix(prefixes[1], values),
  renderMessage: (message) => renderMessage(message, vendorMessages),
  value: (shape, value) => toDialect(value, shape, 'vendor'),
}

/** The dialect of a name. */
export function schedulerDialect(name: DialectName): SchedulerDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}
