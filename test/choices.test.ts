import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { choicesBy, shownChoices } from './support/documentation/choices.ts'

describe('behaviour/program#what-it-is: named choices are shown by tests', () => {
  const shown = shownChoices()
  const all = [...choicesBy].flatMap(([api, choices]) => choices.map(({ id }) => `${api}#${id}`))

  test('each API has choices, and so has the process', () => {
    expect([...choicesBy.keys()]).toEqual([...apiNames, 'process'])
    expect([...choicesBy.values()].filter(({ length }) => length === 0)).toEqual([])
  })

  test('each choice is named by a test', () => {
    expect(all.filter((choice) => !shown.has(choice))).toEqual([])
  })

  test('each choice that a test names exists', () => {
    expect([...shown].filter((choice) => !all.includes(choice))).toEqual([])
  })

  test('each name is unique', () => {
    expect(all.filter((choice, at) => all.indexOf(choice) !== at)).toEqual([])
  })
})
