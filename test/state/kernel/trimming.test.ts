import { expect, test } from 'vitest'
import { withoutSlashes, withoutTail } from '../../../state/kernel/trimming.ts'

test('a text loses all of one character at its end, and no other', () => {
  expect(withoutTail('1.500', '0')).toBe('1.5')
  expect(withoutTail('000', '0')).toBe('')
  expect(withoutTail('', '0')).toBe('')
  expect(withoutTail('0.5', '0')).toBe('0.5')
})

test('a path loses the slashes around it, and none within', () => {
  expect(withoutSlashes('//a//b/')).toBe('a//b')
  expect(withoutSlashes('///')).toBe('')
})
