import { describe, expect, test } from 'vitest'
import { refusal, refusedCases } from './support.ts'

describe('3b-scheduler-decisions.md section 9, Error text: every text with its place', () => {
  test.each(refusedCases)('$name', ({ text, variables, message }) => {
    expect(refusal(text, variables)).toBe(`Failed to parse job: ${message}`)
  })
})
