import { expect, test } from 'vitest'
import { trimEndOf, trimSlashes } from '../../../state/kernel/trimming.ts'

test('trimming removes all of one character at the end, and no other', () => {
  expect(trimEndOf('1.500', '0')).toBe('1.5')
  expect(trimEndOf('000', '0')).toBe('')
  expect(trimEndOf('', '0')).toBe('')
  expect(trimEndOf('0.5', '0')).toBe('0.5')
})

test('trimming removes the slashes around a path, and none inside', () => {
  expect(trimSlashes('//a//b/')).toBe('a//b')
  expect(trimSlashes('///')).toBe('')
})
