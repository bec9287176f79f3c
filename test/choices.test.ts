import { describe, expect, test } from 'vitest'
import { choicesBy, testsByChoice } from './support/choices.ts'

describe('behaviour/program#what-it-is: named choices are shown by tests', () => {
  const shown = testsByChoice()
  const all = Object.entries(choicesBy).flatMap(([api, choices]) =>
    choices.map(({ id }) => `${api}#${id}`),
  )

  test('each one names the test that shows it', () => {
    expect(all.filter((choice) => !shown.has(choice))).toEqual([])
  })

  test('no test shows one that there is not', () => {
    expect([...shown].filter(([choice]) => !all.includes(choice))).toEqual([])
  })

  test('no two have the same name', () => {
    expect(all.filter((choice, at) => all.indexOf(choice) !== at)).toEqual([])
  })
})
