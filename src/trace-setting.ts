/** Words for the condition on which tests write traces (behaviour/program#traces). */
const traceWords = ['on-failure', 'always', 'never'] as const

/** Condition on which a test writes its trace. */
export type TraceCondition = (typeof traceWords)[number]

/** Environment variable that holds a trace condition, or the path for `--trace`. */
export const traceVariable = 'UNDERSTUDY_TRACE'

export function isTraceWord(text: string): text is TraceCondition {
  return traceWords.some((word) => word === text)
}

/** Returns true if the text of the variable makes tests write traces: `on-failure` or `always`. */
export function isTestTraceWord(text: string | undefined): boolean {
  return text !== undefined && isTraceWord(text) && text !== 'never'
}

/**
 * Returns the condition on which tests write traces. The variable takes precedence over `setting`.
 *
 * @param setting condition in the code of the tests. Default: `never`
 * @throws {Error} for an unknown word; the message is one sentence
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
