import { Refusal } from '../../kernel/refusal.ts'

/** Why a filter cannot be read, or cannot be applied to what it is tested on (400). */
export class FilterError extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'FilterError'
  }
}

/**
 * What lists put before the errors of filters: the reference reads the filter when it sets up a page
 * and applies it when it fills the page (3b-scheduler-decisions.md section 3, Errors).
 */
export type PageStep = 'create result paginator' | 'read result page'

/** Does a step of making a page; a filter's error in it gets the step's name in front. */
export function inPageStep<T>(step: PageStep, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new FilterError(`failed to ${step}: ${error.message}`)
  }
}
