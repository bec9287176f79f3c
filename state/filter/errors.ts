import type { Message } from '../kernel/message.ts'
import { defineMessages, messageTexts, Refusal } from '../kernel/refusal.ts'

/** Messages about filters (behaviour/scheduler#filters, Errors). */
export const { table: filterMessages, message } = defineMessages(
  messageTexts({
    'filter-step': 'failed to {step}: {why}',
    'filter-unread': 'failed to read filter expression: {problem}',
    'filter-below-scalar': '{first} references a {type} so {selector} is invalid',
    'filter-value-missing': 'error finding value in datum: {place}',
    'filter-value-mistyped': 'error getting match value in expression: {why}',
    'filter-element-mistyped': 'error getting interface slice match value in expression',
    'filter-no-collection': '{selector} is not a list or a map',
    'filter-placeholder-again':
      '{name} cannot be used as a placeholder for both the index and the value',
    'filter-unfit': 'cannot perform {operation} operations on type {type} for selector: {selector}',
    'filter-incomparable': 'unable to find suitable primitive comparison function for {where}',
    'filter-no-bytes': 'value of type {type} is not convertible to []byte',
    'filter-regex-invalid': 'failed to compile regular expression {regex}: {why}',
  }),
)

/** Error for a filter that is invalid or does not apply to the tested value (400). */
export class FilterError extends Refusal {
  constructor(message: Message) {
    super('invalid', message)
    this.name = 'FilterError'
  }
}

/**
 * Steps of building a page of a list. The message of a filter error begins with the step in which
 * the error occurred. The reference parses the filter when it creates a page, and applies the
 * filter when it fills the page (behaviour/scheduler#filters, Errors).
 */
type PageStep = 'create result paginator' | 'read result page'

/**
 * Runs a step of building a page and returns its result. Filter errors get the name of the step as
 * a prefix.
 */
export function runPageStep<T>(step: PageStep, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new FilterError(message('filter-step', { step, why: error.reason }))
  }
}
