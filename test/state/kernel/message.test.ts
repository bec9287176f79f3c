import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../state/kernel/message.ts'
import { defineMessages } from '../../../state/kernel/refusal.ts'

const texts = defineMessages({
  'mount-in-use': { kind: 'conflict', text: 'path is already in use at {path}' },
  'node-sealed': { kind: 'unavailable', text: 'the Service is sealed', detail: { bare: true } },
  several: { kind: 'invalid', text: '{count} errors occurred: {errors}' },
  warning: { text: 'Service {name} is old' },
})

describe('messages as data (behaviour/program#texts)', () => {
  test('a refusal has its rule, its parameters and the text in the words of the specification', () => {
    const refusal = texts.refuse('mount-in-use', { path: 'app/' })
    expect(refusal).toMatchObject({
      kind: 'conflict',
      rule: 'mount-in-use',
      params: { path: 'app/' },
      message: 'path is already in use at app/',
    })
  })

  test('the template of a rule is passed to the renderer', () => {
    expect(texts.refuse('node-sealed').detail).toEqual({ bare: true })
  })

  test('a wording has other words, and leaves names of callers unchanged', () => {
    const column = { warning: 'Vault {name} is old', 'mount-in-use': 'in use: {path}' }
    const warning = texts.message('warning', { name: 'Service {name}' })
    expect(renderMessage(warning)).toBe('Service Service {name} is old')
    expect(renderMessage(warning, column)).toBe('Vault Service {name} is old')
  })

  test('texts in slots also use the wording', () => {
    const errors = [
      texts.message('warning', { name: 'a' }),
      texts.message('mount-in-use', { path: '$&/' }),
    ]
    const { reason: message } = texts.refuse('several', { count: 2, errors })
    expect(renderMessage(message)).toBe(
      '2 errors occurred: Service a is oldpath is already in use at $&/',
    )
    expect(renderMessage(message, { warning: 'Vault {name}; ' })).toBe(
      '2 errors occurred: Vault a; path is already in use at $&/',
    )
  })
})
