import { describe, expect, test } from 'vitest'
import { ConfigError, codeOf, configErrorCode, reasonOf } from '../../../src/config-error.ts'
import { joinLines } from '../../../state/kernel/trimming.ts'

describe('behaviour/program#command: mistakes of a call are reported in one line', () => {
  test('a message of several lines becomes one', () => {
    const error = new ConfigError(' one\n  two ')
    expect([error.message, error.name, codeOf(error)]).toEqual([
      'one two',
      'ConfigError',
      configErrorCode,
    ])
    expect(joinLines('a \n\n b')).toBe('a b')
  })

  test('any thrown value has a reason; errors of the system have a code', () => {
    expect([reasonOf(new Error('x\ny')), reasonOf('text'), reasonOf(undefined)]).toEqual([
      'x y',
      'text',
      'undefined',
    ])
    const system = Object.assign(new Error('x'), { code: 'ENOENT' })
    const odd = Object.assign(new Error('x'), { code: 7 })
    expect([codeOf(system), codeOf(odd), codeOf(new Error('x')), codeOf('x')]).toEqual([
      'ENOENT',
      undefined,
      undefined,
      undefined,
    ])
  })
})
