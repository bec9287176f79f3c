import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { choicesBy, shownChoices } from './support/documentation/choices.ts'

describe('behaviour/program#what-it-is: named choices are shown by tests', () => {
  const shown = shownChoices()
  const all = [...choicesBy].flatMap(([api, choices]) => choices.map(({ id }) => `${api}#${id}`))

  test('each API has some, and so has the process', () => {
    expect([...choicesBy.keys()]).toEqual([...apiNames, 'process'])
    expect([...choicesBy.values()].filter(({ length }) => length === 0)).toEqual([])
  })

  test('each one names the test that shows it', () => {
    expect(all.filter((choice) => !shown.has(choice))).toEqual([])
  })

  test('no test shows one that there is not', () => {
    expect([...shown].filter((choice) => !all.includes(choice))).toEqual([])
  })

  test('no two have the same name', () => {
    expect(all.filter((choice, at) => all.indexOf(choice) !== at)).toEqual([])
  })
})
