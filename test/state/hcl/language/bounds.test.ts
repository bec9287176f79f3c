import { describe, expect, test } from 'vitest'
import { Budget, budgetFor } from '../../../../state/hcl/language/budget.ts'
import { loadModule } from '../../../../state/hcl/language/module.ts'
import type { HclValue } from '../../../../state/hcl/language/values.ts'
import { FUNCTIONS, refusal, scopeOf, value } from './support.ts'

const TOO_MUCH = 'Evaluation too expensive'

function load(text: string): () => unknown {
  return () => loadModule({ text }, { functions: FUNCTIONS, uuid: () => '' })
}

/** Returns `locals` in which each name refers to the one before it. */
function chain(first: string, count: number, next: (name: string) => string): string {
  const lines = Array.from(
    { length: count },
    (_, index) => `l${index + 1} = ${next(`local.l${index}`)}`,
  )
  return `locals {\nl0 = ${first}\n${lines.join('\n')}\n}\njob "j" {}\n`
}

// behaviour/program#worlds: the cost of evaluating a document is limited in proportion to its
// length.
describe('the cost of an evaluation is limited', () => {
  test.each<[string, string]>([
    ['a loop in a loop in a loop', '[for a in big : [for b in big : [for c in big : 1]]]'],
    ['a text made in loops', 'join("", [for a in big : join("", [for b in big : "0123456789"])])'],
    ['a function with a huge result', 'range(1e9)'],
    ['a number that is none', 'range("1e400" == "" ? 1 : 1e308)'],
    ['loops in templates', '"%{ for a in big }%{ for b in big }${a}${b}%{ endfor }%{ endfor }"'],
    ['splats over splats', '[big, big, big, big][*][*] == 1 ? 1 : [for a in big : big[*]]'],
    ['problems without end', '[for a in big : [for b in big : a.x]]'],
    ['grouping', '{ for a in big : "k" => [for b in big : a]... }'],
    ['expansion', '[for a in big : join("", [for b in big : [b]]...)]'],
    ['comparisons', '[for a in big : big == [for b in big : b]]'],
    ['conditionals', '[for a in big : true ? big : big]'],
    ['conversions', '[for a in big : toset(big)]'],
    ['attempts', '[for a in big : try([for b in big : b], 1)]'],
  ])('%s is refused', (_, text) => {
    const big = Array.from({ length: 1000 }, (_, index) => index)
    const found = refusal(() => value(text, scopeOf({ big }, { budget: new Budget(200_000) })))
    expect(found.summary).toBe(TOO_MUCH)
    expect(found.diagnostics).toHaveLength(1)
    expect(found.range?.file).toBe('x')
  })

  test.each<[string, string]>([
    ['lists that double', chain('[1]', 60, (name) => `[${name}, ${name}]`)],
    ['objects that double', chain('{}', 60, (name) => `{ a = ${name}, b = ${name} }`)],
    ['texts that double', chain('"lol"', 60, (name) => `"\${${name}}\${${name}}"`)],
    ['texts of texts in lists', chain('["lol"]', 60, (name) => `[for x in [1, 2, 3] : ${name}]`)],
    ['conditionals that double', chain('[1]', 60, (name) => `true ? [${name}, ${name}] : null`)],
    [
      'comparisons of what doubles',
      chain('[1]', 60, (name) => `[${name}, 1] == [1, 1] ? null : [${name}, ${name}]`),
    ],
  ])('%s are refused when they are built', (_, text) => {
    const found = refusal(load(text))
    expect(found.message).toMatch(
      /^input\.hcl:\d+,\d+-\d+: Evaluation too expensive; (A value grows larger than it may be|More steps, text or items are needed than a document may use)\.$/,
    )
  })

  test('lists within lists are refused at a depth that a walk by recursion survives', () => {
    const found = refusal(load(chain('[]', 1000, (name) => `[${name}]`)))
    expect(found.detail).toBe('A value is nested more than 250 levels deep.')
  })

  test('a list that contains another list too often is refused before it is traversed', () => {
    const big = Array.from({ length: 1000 }, () => 0)
    const scope = scopeOf({ big }, { budget: new Budget(200_000) })
    expect(refusal(() => value('[for a in big : big][0]', scope)).message).toBe(
      'x:1,17-20: Evaluation too expensive; A value grows larger than it may be.',
    )
  })

  test('a long chain of locals is not deep', () => {
    const text = chain('1', 5000, (name) => `${name} + 1`)
    const reversed = text.split('\n')
    const lines = [reversed[0], ...reversed.slice(1, 5002).reverse(), ...reversed.slice(5002)]
    const { scope, problems } = loadModule(
      { text: lines.join('\n') },
      { functions: FUNCTIONS, uuid: () => '' },
    )
    expect(problems).toEqual([])
    expect(value('local.l5000', scope)).toBe(5001)
  })

  test('a value costs its size each time it is returned', () => {
    const budget = new Budget(1000)
    const scope = scopeOf({ s: 'x'.repeat(300) }, { budget })
    expect(value('s', scope)).toHaveLength(300)
    expect(value('[s]', scope)).toHaveLength(1)
    expect(value('s', scope)).toHaveLength(300)
    expect(refusal(() => value('s', scope)).summary).toBe(TOO_MUCH)
  })

  test('a used-up budget stays used up', () => {
    const budget = new Budget(10)
    expect(refusal(() => budget.spend(11)).message).toBe(
      '<nil>: Evaluation too expensive; More steps, text or items are needed than a document may use.',
    )
    expect(refusal(() => budget.spend(0)).summary).toBe(TOO_MUCH)
    expect(refusal(() => new Budget().spend(Number.NaN)).summary).toBe(TOO_MUCH)
  })

  test('try() does not hide an exceeded budget', () => {
    const scope = scopeOf({}, { budget: new Budget(1000) })
    expect(refusal(() => value('try(range(1e9), "else")', scope)).summary).toBe(TOO_MUCH)
    expect(refusal(() => value('can(range(1e9))', scope)).summary).toBe(TOO_MUCH)
  })

  test('parts count as often as they appear', () => {
    const budget = new Budget(1000)
    const part: HclValue = { kind: 'tuple', items: ['abc', 1] }
    const whole: HclValue = {
      kind: 'object',
      entries: new Map([
        ['k', part],
        ['l', part],
      ]),
    }
    expect([budget.sizeOf(part), budget.sizeOf(whole), budget.sizeOf(null)]).toEqual([6, 15, 1])
  })

  // choice/scheduler#job-file-budget
  test('large documents may cost more', () => {
    const text = 'x'.repeat(3_000_000)
    expect(value('s', scopeOf({ s: text }, { budget: budgetFor(text) }))).toHaveLength(3_000_000)
    expect(refusal(() => value('s', scopeOf({ s: text }))).summary).toBe(TOO_MUCH)
  })
})
