import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  grants,
  type Rule,
  type RuleAccess,
  Rulebook,
  Segments,
} from '../../../../state/mesh/acl/rulebook.ts'

const origin = { policy: { id: 'p', name: 'p', namespace: 'default' } }
const accesses: readonly RuleAccess[] = ['deny', 'write', 'list', 'read']

/** A small alphabet, so that names often match. */
const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 })
const segment = fc.record({ name, isPrefix: fc.boolean() })
const keyRule = fc
  .record({
    segment,
    access: fc.constantFrom(...accesses),
    inNamespace: fc.option(segment, { nil: undefined }),
  })
  .map(({ segment, access, inNamespace }): Rule => {
    const text = `${JSON.stringify(inNamespace)} ${JSON.stringify(segment)} ${access}`
    const namespaceSegment = inNamespace === undefined ? {} : { inNamespace }
    return { resource: 'key', segment, access, ...namespaceSegment, source: text }
  })

interface Matcher {
  readonly name: string
  readonly isPrefix: boolean
}

function matches({ name, isPrefix }: Matcher, requested: string): boolean {
  return isPrefix ? requested.startsWith(name) : requested === name
}

/** Returns the specificity of a match: exact before prefix, longer before shorter. */
const rank = ({ name, isPrefix }: Matcher) => (isPrefix ? name.length : Number.MAX_SAFE_INTEGER)

/**
 * Returns the access by a direct implementation of the specification: visits every rule and keeps
 * the best match.
 */
function naive(rules: readonly Rule[], tokenNamespace: string, namespace: string, key: string) {
  const scored = rules
    .map((rule) => ({ rule, place: rule.inNamespace ?? { name: tokenNamespace, isPrefix: false } }))
    .filter(
      ({ rule, place: namespaceSegment }) =>
        matches(namespaceSegment, namespace) && matches(rule.segment, key),
    )
    .map(({ rule, place: namespaceSegment }) => ({
      access: rule.access,
      score: [rank(namespaceSegment), rank(rule.segment), -accesses.indexOf(rule.access)] as const,
    }))
    .sort((a, b) => {
      const at = a.score.findIndex((value, index) => value !== b.score[index])
      return at < 0 ? 0 : (b.score[at] ?? 0) - (a.score[at] ?? 0)
    })
  return scored[0]?.access
}

describe('behaviour/mesh#acl-decision: segment match', () => {
  // choice/mesh#mesh-acl-nested-segments
  test('property: exact beats prefix, the longest prefix wins, deny > write > list > read', () => {
    fc.assert(
      fc.property(
        fc.array(keyRule, { maxLength: 12 }),
        name.map((text) => text.replaceAll('/', 'c')),
        name,
        name,
        (rules, tokenNamespace, namespace, key) => {
          // Split into two policies: neither the order nor the number of policies matters.
          const half = Math.floor(rules.length / 2)
          const sources = [rules.slice(0, half), rules.slice(half)].map((ruleSubset) => ({
            origin,
            rules: ruleSubset,
          }))
          const book = new Rulebook(sources, tokenNamespace)
          const expected = naive(rules, tokenNamespace, namespace, key)
          expect(book.find('key', key, namespace)?.access).toBe(expected)
          expect(
            new Rulebook(sources.reverse(), tokenNamespace).find('key', key, namespace)?.access,
          ).toBe(expected)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('matching values come most specific first', () => {
    const segments = new Segments<string>()
    segments.set({ name: '', isPrefix: true }, 'all')
    segments.set({ name: 'a/b', isPrefix: false }, 'exact')
    segments.set({ name: 'a/', isPrefix: true }, 'short')
    segments.set({ name: 'a/b', isPrefix: true }, 'long')
    expect([...segments.matching('a/b')]).toEqual(['exact', 'long', 'short', 'all'])
    expect([...segments.matching('a/bc')]).toEqual(['long', 'short', 'all'])
    expect([...segments.matching('a/')]).toEqual(['short', 'all'])
    expect([...segments.matching('a')]).toEqual(['all'])
    expect(segments.get({ name: 'a/', isPrefix: false })).toBe(undefined)
    expect(segments.get({ name: 'a/', isPrefix: true })).toBe('short')
  })

  test('write includes list and read, list includes read, deny includes nothing', () => {
    const granted = accesses.map((rule) =>
      (['read', 'list', 'write'] as const).filter((requested) => grants(rule, requested)),
    )
    expect(granted).toEqual([[], ['read', 'list', 'write'], ['read', 'list'], ['read']])
  })
})
