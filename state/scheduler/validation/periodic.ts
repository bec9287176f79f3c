import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/wording.ts'
import { checkCronSpec, checkTimeZone } from '../job/cron.ts'
import type { Parameterized, Periodic } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'
import { message } from './job-texts.ts'

/** Finds what is wrong with when a job is launched (behaviour/scheduler#validation, periodic). */
export function periodicErrors(periodic: Periodic): readonly Message[] {
  const { Enabled, Spec, SpecType, TimeZone } = periodic
  if (!Enabled) return []
  const specs = periodic.Specs ?? []
  const written = Spec === '' ? specs : [Spec, ...specs]
  return [
    ...failing(
      Spec !== '' && specs.length > 0 && message('periodic-specs-both'),
      written.length === 0 && message('periodic-spec-missing'),
    ),
    ...asError(
      () => checkTimeZone(TimeZone),
      (why) => message('periodic-time-zone-invalid', { zone: quoteGo(TimeZone), why }),
    ),
    ...(SpecType === 'cron'
      ? written.flatMap((spec) =>
          asError(
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
  return failing(
    !['optional', 'required', 'forbidden'].includes(Payload) &&
      message('payload-rule-unknown', { rule: quoteGo(Payload) }),
    both.length > 0 && message('meta-keys-both', { keys: both.join(' ') }),
  )
}

function asError(check: () => void, word: (why: string) => Message): readonly Message[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [word(error.message)]
  }
}
