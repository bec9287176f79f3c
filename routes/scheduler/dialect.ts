import { type Message, renderMessage } from '../../state/kernel/message.ts'
import { toDialect } from '../../state/kernel/shape/dialect.ts'
import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { vendorMessages } from './vendor-messages.ts'

/** Scheduler-specific part of a dialect (behaviour/scheduler#vendor-names). */
export interface SchedulerDialect {
  readonly name: DialectName
  /** True if replies use the vendor's names. */
  readonly isVendor: boolean
  /** Returns prefixed headers from names without prefix. */
  headers(values: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** Renders a message in the dialect's words. */
  renderMessage(message: Message): string
  /** Converts a value of a shape to its JSON form. */
  value(shape: Shape, value: unknown): unknown
}

/** Prefixes of the API's headers: the neutral one, then the vendor's. */
const prefixes = ['X-Sched-', 'X-Nomad-'] as const

/** Spellings of the token's request header in lower case and in order of precedence. */
export const tokenHeaders = prefixes.map((prefix) => `${prefix}Token`.toLowerCase())

/**
 * Encodes a text as a header value: its UTF-8 bytes as Latin-1 characters, which Node writes
 * unchanged. Characters that headers cannot carry become spaces, as Go's servers do with line
 * breaks.
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

/** Returns the dialect with a name. */
export function schedulerDialect(name: DialectName): SchedulerDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}
