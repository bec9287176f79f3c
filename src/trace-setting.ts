/** Words for the condition on which tests write traces (behaviour/program#traces). */
const traceWords = ['on-failure', 'always', 'never'] as const

/** Condition on which a test writes its trace. */
export type TraceCondition = (typeof traceWords)[number]

/** Name of the variable that is such a word, or the file of `--trace`. */
export const traceVariable = 'UNDERSTUDY_TRACE'

/** Returns true if a text is one of the words. */
export function isTraceWord(text: string): text is TraceCondition {
  return traceWords.some((word) => word === text)
}

/** Returns true if a variable asks tests for traces, of some tests or of all. */
export function isTestTraceWord(text: string | undefined): boolean {
  return text !== undefined && isTraceWord(text) && text !== 'never'
}

/**
 * Returns the condition on which tests write traces. The variable wins over the code.
 *
 * @param setting condition in the code of the tests. Default: `never`
 * @throws {Error} for an unknown word, in one sentence
 */
export function traceConditionOf(
  setting: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TraceCondition {
  const variable = environment[traceVariable] ?? ''
  const [origin, word] =
    variable === '' ? ['the setting trace', setting ?? 'never'] : [traceVariable, variable]
  if (isTraceWord(word)) return word
  throw new Error(
    `${origin} must be one of ${traceWords.join(', ')} for tests, not ${JSON.stringify(word)}`,
  )
}
