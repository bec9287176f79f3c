import { quoteGo } from '../../go/text.ts'
import { checkCronSpec, checkTimeZone, invalidCronSpec } from '../job/cron.ts'
import type { Parameterized, Periodic } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'

/** What is wrong with when a job is launched (3b-scheduler-decisions.md section 5, periodic). */
export function periodicErrors(periodic: Periodic): readonly string[] {
  const { Enabled, Spec, SpecType, TimeZone } = periodic
  if (!Enabled) return []
  const specs = periodic.Specs ?? []
  const written = Spec === '' ? specs : [Spec, ...specs]
  return [
    ...failing(
      [Spec !== '' && specs.length > 0, 'Only cron or crons may be used'],
      [written.length === 0, 'Must specify a spec'],
    ),
    ...asError(
      () => checkTimeZone(TimeZone),
      (why) => `Invalid time zone ${quoteGo(TimeZone)}: ${why}`,
    ),
    ...(SpecType === 'cron'
      ? written.flatMap((spec) =>
          asError(
            () => checkCronSpec(spec),
            (why) => invalidCronSpec(spec, why),
          ),
        )
      : [`Unknown periodic specification type ${quoteGo(SpecType)}`]),
  ]
}

/** What is wrong with what a dispatch takes (section 5, parameterized). */
export function parameterizedErrors(parameterized: Parameterized): readonly string[] {
  const { Payload, MetaRequired, MetaOptional } = parameterized
  const required = new Set(MetaRequired ?? [])
  const both = Array.from(new Set(MetaOptional ?? [])).filter((key) => required.has(key))
  return failing(
    [
      !['optional', 'required', 'forbidden'].includes(Payload),
      `Unknown payload requirement: ${quoteGo(Payload)}`,
    ],
    [
      both.length > 0,
      'Required and optional meta keys should be disjoint. Following keys exist in both: ' +
        `[${both.join(' ')}]`,
    ],
  )
}

function asError(check: () => void, word: (why: string) => string): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [word(error.message)]
  }
}
