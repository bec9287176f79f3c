/** Words for the condition on which tests write traces (behaviour/program#traces). */
export const traceWords = ['on-failure', 'always', 'never'] as const

/** Condition on which a test writes its trace. */
export type TraceCondition = (typeof traceWords)[number]

/** Name of the variable that is such a word, or the file of `--trace`. */
export const traceVariable = 'UNDERSTUDY_TRACE'

/** Returns true if a text is one of the words. */
export function isTraceWord(text: string): text is TraceCondition {
  return traceWords.some((word) => word === text)
}
