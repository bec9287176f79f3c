import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Diagnosis, ExplainedRequest } from '../journal-hooks/api-explanations.ts'

/**
 * Ends of the sentence with which a diagnosis describes a malformed value, by name of the wait
 * parameter: `?wait is "x", which is no duration, …`.
 */
const problemPhrases = {
  wait: 'no duration, as 10s is one',
  index: 'no whole number below 2^64',
} as const

type Name = keyof typeof problemPhrases

/** Returns the refusal of a malformed wait parameter, with the wording of the products. */
export function invalidWaitParameter(name: Name): Refusal {
  const template = name === 'wait' ? 'Invalid wait time' : 'Invalid index'
  return new Refusal('invalid', { rule: `${name}-unreadable`, template, params: {} })
}

/** Rules of the refusals of wait parameters. */
export const waitRules = ['wait-unreadable', 'index-unreadable'] as const

/**
 * Returns a diagnosis that quotes the malformed wait parameter, with a corrected request that does
 * not wait.
 */
export function diagnoseWaitParameter({ query, rule }: ExplainedRequest): Diagnosis {
  const name: Name = rule === 'wait-unreadable' ? 'wait' : 'index'
  return {
    because: `?${name} is ${JSON.stringify([query[name]].flat()[0])}, which is ${problemPhrases[name]}`,
    change: `Send another ?${name}, or do not wait`,
    request: { query: { wait: undefined, index: undefined } },
  }
}
