import { describe, expect, test } from 'vitest'
import { keysOutcome } from '../../../../routes/secrets/envelope/outcome.ts'
import { refuse } from '../../../../state/secrets/kv/messages.ts'

describe('behaviour/secrets#api-lists: lists', () => {
  test('names and all other members', () => {
    expect(keysOutcome(['a', 'b/'], { key_info: {} })).toEqual({
      kind: 'envelope',
      data: { keys: ['a', 'b/'], key_info: {} },
    })
  })

  test('without names, absent', () => {
    expect(() => keysOutcome([])).toThrow(refuse('nothing-here'))
  })
})
