import { describe, expect, test } from 'vitest'
import { queryGenerator, ShapedValues } from '../../../src/cli/compare/shaped-values.ts'
import {
  any,
  bool,
  bytes,
  constant,
  duration,
  float,
  int,
  list,
  map,
  nullable,
  type Shape,
  text,
  time,
  uint,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { Ids } from '../../../state/kernel/worlds/ids.ts'

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
const isList = (value: unknown) => Array.isArray(value)
const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kinds: readonly (readonly [string, Shape, (value: unknown) => boolean])[] = [
  ['a switch', bool, (value) => typeof value === 'boolean'],
  ['a text', text, isText],
  ['bytes', bytes, isText],
  ['an instant', time, (value) => isText(value) && !Number.isNaN(Date.parse(String(value)))],
  ['a whole number', int, isNumber],
  ['a number from 0', uint, isNumber],
  ['a number', float, isNumber],
  ['a duration', duration, (value) => isNumber(value) || /^\d+[sh]$/.test(String(value))],
  ['one of some words', word('fast', 'slow'), (value) => /^(fast|slow|zz)$/.test(String(value))],
  ['a constant', constant('here'), (value) => value === 'here'],
  ['what may be null', nullable(text), isText],
  ['one of some shapes', union(text, int), (value) => isText(value) || isNumber(value)],
  ['a list', list(text), isList],
  ['a map', map(int), isObject],
  ['an object', struct({ a: text, b: int }), isObject],
  ['anything', any, isText],
]

describe('behaviour/program#commands: values that compare sends', () => {
  test.each(kinds)('for %s fit it but for a few', (_, shape, fits) => {
    const generate = new ShapedValues({}, 'neutral').valuesOf(shape)
    const sample = (seed: string) => {
      const chance = new Ids(seed)
      return Array.from({ length: 400 }, () => generate(chance))
    }
    const values = sample('a')
    const fitting = values.filter((value) => fits(value)).length
    expect(fitting).toBeGreaterThan(360)
    expect(sample('a')).toEqual(values)
  })

  test('are those of a name where it has some, however deep it lies', () => {
    const shape = struct({ name: text, below: struct({ name: text }) })
    const generate = new ShapedValues({ name: ['ada'] }, 'neutral').objectsOf(shape)
    const chance = new Ids('a')
    const generated = Array.from({ length: 200 }, () => JSON.stringify(generate(chance))).join()
    expect(generated).toContain('"below":{"name":"ada"}')
    expect(generated.replaceAll('"name":"ada"', '')).not.toContain('"name":')
  })

  test('queries use declared parameters only', () => {
    const chance = new Ids('a')
    expect(queryGenerator(undefined, {})(chance)).toBe('')
    const generate = queryGenerator(struct({ page: text }), { page: ['2'] })
    const sample = new Set(Array.from({ length: 100 }, () => generate(chance)))
    expect(sample).toEqual(new Set(['', '?page=2', '?page=2&page=2']))
  })
})
