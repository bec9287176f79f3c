import { describe, expect, test } from 'vitest'
import { DerSyntaxError, derTag, element, readElement } from '../../../../state/kernel/der.ts'
import { readTime } from '../../../../state/secrets/pki/parsed.ts'

describe('behaviour/secrets#pki: times of certificates', () => {
  const read = (tag: number, text: string) => readTime(readElement(element(tag, Buffer.from(text))))

  test.each([
    ['491231235959Z', '2049-12-31T23:59:59Z'],
    ['500101000000Z', '1950-01-01T00:00:00Z'],
    ['991231235959Z', '1999-12-31T23:59:59Z'],
  ])('years of two digits from 50 are of the 20th century: %s', (text, expected) => {
    expect(read(derTag.utcTime, text)).toBe(Date.parse(expected))
  })

  test('years of four digits are not changed', () => {
    expect(read(derTag.generalizedTime, '20500101000000Z')).toBe(Date.parse('2050-01-01T00:00:00Z'))
  })

  test.each(['5001010000Z', '20500101000000Z', '501301000000Z'])('%s is refused', (text) => {
    expect(() => read(derTag.utcTime, text)).toThrow(DerSyntaxError)
  })
})
