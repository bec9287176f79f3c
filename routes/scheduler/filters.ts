import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import { inPageStep } from '../../state/scheduler/filter/errors.ts'
import { compileFilter } from '../../state/scheduler/filter/filter.ts'

/**
 * Returns the predicate of a list's `filter`, undefined if there is none. Errors have the wording
 * of paginated lists.
 */
export function filterOf<T extends object>(
  expression: string,
  shape: StructShape,
): ((item: T) => boolean) | undefined {
  if (expression === '') return undefined
  const filter = inPageStep('create result paginator', () => compileFilter(expression, shape))
  return (item) => inPageStep('read result page', () => filter.matches(item))
}
