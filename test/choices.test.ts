import { describe, expect, test } from 'vitest'
import { choicesBy, shownChoices } from './support/choices.ts'
import { choicesToShow } from './support/choices-to-show.ts'

describe('behaviour/program#what-it-is: named choices are shown by tests', () => {
  const shown = shownChoices()
  const all = Object.entries(choicesBy).flatMap(([api, choices]) =>
    choices.map(({ id }) => `${api}#${id}`),
  )

  test('each one names the test that shows it', () => {
    const missing = all.filter((choice) => !shown.has(choice))
    expect(missing.sort()).toEqual([...choicesToShow].sort())
  })

  test('no test shows one that there is not', () => {
    expect([...shown].filter(([choice]) => !all.includes(choice))).toEqual([])
  })

  test('no two have the same name', () => {
    expect(all.filter((choice, at) => all.indexOf(choice) !== at)).toEqual([])
  })
})
