import { describe, expect, test } from 'vitest'
import { refusal, refusedCases } from './support.ts'

describe('behaviour/scheduler#job-file-errors: every text with its position', () => {
  // choice/scheduler#job-file-config-problems choice/scheduler#job-file-null-arguments
  // choice/scheduler#job-file-dropped-blocks
  test.each(refusedCases)('$name', ({ text, variables, message }) => {
    expect(refusal(text, variables)).toBe(`Failed to parse job: ${message}`)
  })
})
