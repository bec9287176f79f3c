import { expect, test } from 'vitest'
import { trimEndOf, trimSlashes } from '../../../state/kernel/trimming.ts'

test('a text loses all of one character at its end, and no other', () => {
  expect(trimEndOf('1.500', '0')).toBe('1.5')
  expect(trimEndOf('000', '0')).toBe('')
  expect(trimEndOf('', '0')).toBe('')
  expect(trimEndOf('0.5', '0')).toBe('0.5')
})

test('a path loses the slashes around it, and none within', () => {
  expect(trimSlashes('//a//b/')).toBe('a//b')
  expect(trimSlashes('///')).toBe('')
})
