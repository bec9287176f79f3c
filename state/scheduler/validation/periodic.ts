import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { checkCronSpec, checkTimeZone } from '../job/cron.ts'
import type { Parameterized, Periodic } from '../job/scheduling-shapes.ts'
import { failedChecks } from './errors.ts'
import { message } from './job-messages.ts'

/** Finds what is wrong with when a job is launched (behaviour/scheduler#validation, periodic). */
export function periodicErrors(periodic: Periodic): readonly Message[] {
  const { Enabled, Spec, SpecType, TimeZone } = periodic
  if (!Enabled) return []
  const specs = periodic.Specs ?? []
  const declared = Spec === '' ? specs : [Spec, ...specs]
  return [
    ...failedChecks(
      Spec !== '' && specs.length > 0 && message('periodic-specs-both'),
      declared.length === 0 && message('periodic-spec-missing'),
    ),
    ...catchRangeError(
      () => checkTimeZone(TimeZone),
      (why) => message('periodic-time-zone-invalid', { zone: quoteGo(TimeZone), why }),
    ),
    ...(SpecType === 'cron'
      ? declared.flatMap((spec) =>
          catchRangeError(
            () => checkCronSpec(spec),
            (why) => message('periodic-spec-invalid', { spec: quoteGo(spec), why }),
          ),
        )
      : [message('periodic-spec-type-unknown', { type: quoteGo(SpecType) })]),
  ]
}

/** Finds what is wrong with what a dispatch takes (behaviour/scheduler#validation, parameterized). */
export function parameterizedErrors(parameterized: Parameterized): readonly Message[] {
  const { Payload, MetaRequired, MetaOptional } = parameterized
  const required = new Set(MetaRequired ?? [])
  const both = Array.from(new Set(MetaOptional ?? [])).filter((key) => required.has(key))
  return failedChecks(
    !['optional', 'required', 'forbidden'].includes(Payload) &&
      message('payload-rule-unknown', { rule: quoteGo(Payload) }),
    both.length > 0 && message('meta-keys-both', { keys: both.join(' ') }),
  )
}

function catchRangeError(
  check: () => void,
  toMessage: (why: string) => Message,
): readonly Message[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [toMessage(error.message)]
  }
}
