import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob } from '../../../routes/journal/glob.ts'

/** Returns the result of an equivalent regular expression, which is slow on hostile patterns. */
function byRegex(pattern: string, text: string): boolean {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((piece) => (piece === '**' ? '[^]*' : piece === '*' ? '[^/]*' : escaped(piece)))
    .join('')
  return new RegExp(`^${source}$`).test(text)
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('behaviour/program#journal: path patterns of matchers', () => {
  test.each([
    ['/v1/secret/data/app', '/v1/secret/data/app', true],
    ['/v1/secret/data/app', '/v1/secret/data/app/', false],
    ['/v1/secret/data/*', '/v1/secret/data/app', true],
    ['/v1/secret/data/*', '/v1/secret/data/', true],
    ['/v1/secret/data/*', '/v1/secret/data/a/b', false],
    ['/v1/*/data/a*', '/v1/kv/data/app', true],
    ['/v1/**', '/v1/secret/data/a/b', true],
    ['/v1/**/b', '/v1/secret/data/a/b', true],
    ['/v1/**/b', '/v1/secret/data/a/c', false],
    ['**', '', true],
    ['/a.b', '/axb', false],
  ])('%s and %s: %s', (pattern, text, fits) => {
    expect(matchesGlob(pattern, text)).toBe(fits)
  })

  test('any pattern matches as its regular expression does', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '**', '.')
    const texts = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 8 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), texts, (pieces, text) => {
        const pattern = pieces.join('').replaceAll(/\*{3,}/g, '**')
        expect(matchesGlob(pattern, text.join(''))).toBe(byRegex(pattern, text.join('')))
      }),
      { seed: 14, numRuns: 2_000 },
    )
  })

  // Takes many seconds if the places of each part are listed.
  test('behaviour/program#bounds: many stars and a long text take no time', () => {
    const text = `/${'ab'.repeat(16_000)}`
    expect(matchesGlob('**a'.repeat(2_000), text)).toBe(false)
    expect(matchesGlob(`${'**a'.repeat(2_000)}**`, text)).toBe(true)
    expect(matchesGlob('**a*'.repeat(2_000), text)).toBe(true)
  })
})
