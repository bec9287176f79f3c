import { describe, expect, test } from 'vitest'
import { indentJson } from '../../../routes/http/json-text.ts'
import { decodeBase64, decodeUnpaddedBase64, isBase64 } from '../../../state/go/base64.ts'
import { parseGoInteger } from '../../../state/go/integer.ts'
import { stringifyJson } from '../../../state/kernel/deep-json.ts'
import { runParts } from '../../../state/kernel/parts.ts'

const long = 30_000_000

function offsetOf(text: string): string {
  try {
    decodeBase64(text)
    return ''
  } catch (error) {
    return String(error).replace(/^.*byte /, '')
  }
}

describe('behaviour/program#bounds: values may be as long as a body', () => {
  test('base64 of 30 million characters is decoded', () => {
    const text = 'QUJD'.repeat(long / 4)
    expect(isBase64(text)).toBe(true)
    expect(decodeBase64(text)).toHaveLength((long / 4) * 3)
    expect(decodeUnpaddedBase64(`${text}QQ`)).toHaveLength((long / 4) * 3 + 1)
  })

  test('the offset of an error in base64 is the one that Go reports', () => {
    const offsets = ['', 'QQ==', 'QUI=', 'QUJD', 'QU\nJD'].map(offsetOf)
    expect(offsets).toEqual(['', '', '', '', ''])
    expect(['Q', 'QQ', 'QQ=', 'QQ=a', 'QQ==a', '!', 'QUJD!', 'QUJDQ', '='].map(offsetOf)).toEqual([
      '0',
      '0',
      '3',
      '2',
      '2',
      '0',
      '4',
      '4',
      '0',
    ])
    expect(['QQ==', 'QQ', 'Q===', 'QUJD\n', ''].map(isBase64)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ])
  })

  test('numbers of 30 million digits are out of range, not an error of the program', () => {
    for (const digits of ['1'.repeat(long), `0x${'f'.repeat(long)}`]) {
      expect(parseGoInteger(digits)).toBeGreaterThan(2n ** 64n)
    }
    expect(parseGoInteger('0'.repeat(long))).toBe(0n)
  })

  test('whole numbers are parsed in Go notation', () => {
    const valid = ['12', '-0x1f', '+0b101', '0o17', '017', '0', '1_000', '0x_f', '0_7']
    expect(valid.map(parseGoInteger)).toEqual([12n, -31n, 5n, 15n, 15n, 0n, 1000n, 15n, 7n])
    const invalid = ['', '+', '0x', '0x_', '1__0', '1_', '_1', '08', '0b2', '0_x1', ' 1', '1.0']
    expect(invalid.map(parseGoInteger)).toEqual(invalid.map(() => undefined))
  })

  test('JSON with a string of 30 million characters is indented', () => {
    const text = `["${'\\"'.repeat(long / 2)}"]`
    expect(runParts(indentJson(text))).toHaveLength(text.length + 6)
  })

  test('JSON of 10,000 levels is printed', () => {
    const lists = '['.repeat(10_000) + ']'.repeat(10_000)
    const objects = `${'{"a":'.repeat(10_000)}[1,"x",null]${'}'.repeat(10_000)}`
    for (const text of [lists, objects]) expect(stringifyJson(JSON.parse(text))).toBe(text)
  })
})
