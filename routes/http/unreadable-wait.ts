import { Refusal } from '../../state/kernel/refusal.ts'
import type { Asked, Diagnosis } from './explains.ts'

/** The parameters of waiting reads, with what they take. */
const forms = {
  wait: 'no duration, as 10s is one',
  index: 'no whole number below 2^64',
} as const

type Name = keyof typeof forms

/** Refuses a parameter of a waiting read, in the words of the products. */
export function unreadable(name: Name): Refusal {
  const template = name === 'wait' ? 'Invalid wait time' : 'Invalid index'
  return new Refusal('invalid', { rule: `${name}-unreadable`, template, params: {} })
}

/** The rules by which that is refused. */
export const waitRules = ['wait-unreadable', 'index-unreadable'] as const

/** Says what was sent. */
export function waitUnreadable({ query, rule }: Asked): Diagnosis {
  const name: Name = rule === 'wait-unreadable' ? 'wait' : 'index'
  return {
    because: `?${name} is ${JSON.stringify([query[name]].flat()[0])}, which is ${forms[name]}`,
    change: `Send another ?${name}, or do not wait`,
    request: { query: { wait: undefined, index: undefined } },
  }
}
