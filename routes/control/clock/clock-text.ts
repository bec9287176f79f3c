import { maxRate } from '../../../state/kernel/time/clock.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'

/** The parsed setting of a clock. Instants are in milliseconds since 1970. */
export type ClockText =
  | { readonly mode: 'real' }
  | { readonly mode: 'frozen'; readonly at?: number | undefined }
  | { readonly mode: 'scaled'; readonly rate: number }

/** Parses `real`, `frozen`, `frozen@TIME` or `scaled@RATE`. Returns undefined for other strings. */
export function readClock(text: string): ClockText | undefined {
  if (text === 'real') return { mode: 'real' }
  if (text === 'frozen') return { mode: 'frozen' }
  const [, mode, detail] = /^(frozen|scaled)@(.+)$/.exec(text) ?? []
  if (detail === undefined) return undefined
  if (mode === 'frozen') {
    const at = parseTimestamp(detail)
    return at === undefined ? undefined : { mode, at }
  }
  const rate = /^\d+(\.\d+)?$/.test(detail) ? Number(detail) : 0
  return rate > 0 && rate <= maxRate ? { mode: 'scaled', rate } : undefined
}
