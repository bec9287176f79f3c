import { describe, expect, test } from 'vitest'
import { citedRules, ruleAnchors } from './support/documentation/rules.ts'

describe('behaviour/program#what-it-is: rules are cited by their places in docs/behaviour', () => {
  const cited = citedRules()
  const rules = ruleAnchors()

  test('no citation leads nowhere', () => {
    expect([...cited].filter(([rule]) => !rules.includes(rule))).toEqual([])
  })

  test('no rule is there that nothing cites', () => {
    expect(rules.filter((rule) => !cited.has(rule))).toEqual([])
  })

  test('no place is named twice', () => {
    expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([])
  })
})
