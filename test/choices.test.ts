import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { choicesByApi, shownChoices } from './support/documentation/choices.ts'

describe('behaviour/program#what-it-is: named choices are shown by tests', () => {
  const shown = shownChoices()
  const all = [...choicesByApi].flatMap(([api, choices]) => choices.map(({ id }) => `${api}#${id}`))

  test('each API has choices, and so has the process', () => {
    expect([...choicesByApi.keys()]).toEqual([...apiNames, 'process'])
    expect([...choicesByApi.values()].filter(({ length }) => length === 0)).toEqual([])
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
