import { expect, test } from 'vitest'
import { SchemaParts } from '../../../../routes/http/declare/schema-parts.ts'
import { sharedValidator } from '../../../../routes/http/declare/validate.ts'
import type { JsonSchema } from '../../../../state/kernel/schema.ts'
import { documentSchema } from '../../../../state/kernel/shape/schema.ts'
import { jobShape } from '../../../../state/scheduler/job/job-shape.ts'

/** Returns the schema of an object that becomes a part because of its number of members. */
function longSchema(prefix: string, more: object = {}): JsonSchema {
  const names = Array.from({ length: 100 }, (_, at) => `${prefix}${at}`)
  const members = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', properties: { ...members, ...more }, additionalProperties: false }
}

function splitter() {
  const added: { readonly id: string; readonly schema: JsonSchema }[] = []
  return { added, parts: new SchemaParts((part) => added.push(part)) }
}

test('behaviour/program#bounds: equal parts of two schemas are one part, after the parts inside', () => {
  const { added, parts } = splitter()
  const outer = longSchema('a', { inner: { type: 'array', items: longSchema('b') } })
  const first = parts.split({ type: 'object', additionalProperties: outer })
  const second = parts.split({ type: 'array', items: outer })
  expect(added.map(({ id }) => id)).toEqual(first.parts)
  expect(first.parts).toHaveLength(2)
  expect(second).toEqual({
    schema: { type: 'array', items: { $ref: first.parts[1] } },
    parts: first.parts,
  })
  expect(JSON.stringify(added[1]?.schema)).toContain(`{"$ref":"${first.parts[0]}"}`)
})

test('behaviour/program#bounds: short parts and alternatives stay whole', () => {
  const { added, parts } = splitter()
  const either = { anyOf: [longSchema('a'), { type: 'null' }] }
  const split = parts.split({ type: 'object', properties: { short: { type: 'string' }, either } })
  expect(added.map(({ schema }) => schema)).toEqual([either])
  expect(split.schema['properties']).toEqual({
    short: { type: 'string' },
    either: { $ref: added[0]?.id },
  })
})

test('behaviour/program#bounds: a long schema is compiled in several parts', () => {
  const schema = documentSchema(jobShape)
  const pauses = [...sharedValidator.prepare(schema)].length
  expect(pauses).toBeGreaterThan(5)
  expect([...sharedValidator.prepare(schema)]).toHaveLength(pauses)
})

test('behaviour/program#declared-once: mistakes in a part have the positions of the whole value', () => {
  const either = { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] }
  const schema = {
    type: 'object',
    additionalProperties: longSchema('a', { inner: longSchema('b'), either }),
  }
  const value = {
    x: { a1: 1, either: 5, inner: { b1: null, b200: '' } },
    y: { either: {} },
  }
  expect(sharedValidator.check(schema, value, 'body', '/rows')).toEqual([
    '/rows/x/a1 must be string',
    '/rows/x/inner/b200 is unknown',
    '/rows/x/inner/b1 must be string',
    '/rows/y/either/id is missing',
    '/rows/x/either must be string or object',
  ])
})
