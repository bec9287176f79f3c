import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fixturesSchema } from '../scripts/schema.ts'
import { createUnderstudy } from '../src/embedding/index.ts'
import { fileOf, readDocument } from './support/files.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
const schema = fixturesSchema()
const validate = ajv.compile(schema)

/** Returns the places where a document violates the schema. */
function mistakes(document: unknown): readonly string[] {
  validate(document)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('behaviour/program#fixtures: the schema that editors complete by', () => {
  test('takes the fixtures of the guide and of the container', () => {
    const guide = readDocument('docs/guide/fixtures.md')
    const examples = [...guide.matchAll(/<!-- fixtures -->\n```yaml\n([\s\S]*?)```/g)]
    expect(examples).toHaveLength(2)
    for (const [, example = ''] of examples) expect(mistakes(parse(example))).toEqual([])
    expect(mistakes(parse(readFileSync(fileOf('docker/fixtures.yaml'), 'utf8')))).toEqual([])
  })

  test('accepts everything that the export writes', async () => {
    await using understudy = await createUnderstudy()
    expect(mistakes(JSON.parse(JSON.stringify(understudy.world().state())))).toEqual([])
  })

  test('reports members that no start would accept', () => {
    expect(mistakes({ options: { secrets: { clusterName: 1, novel: true } }, jobs: [] })).toEqual([
      ' must NOT have additional properties',
      '/options/secrets must NOT have additional properties',
      '/options/secrets/clusterName must be string',
    ])
  })

  test('describes every option, also in a schema of its own', () => {
    const options = ajv.compile({ $defs: schema['$defs'], $ref: '#/$defs/options' })
    expect(options({ mesh: { aclEnabled: true } })).toBe(true)
    expect(options({ mesh: { aclEnabled: 'yes' } })).toBe(false)
    const described = JSON.stringify(schema['$defs'])
    expect(described).toContain('"clusterName":{')
    expect(described).toContain('"description"')
  })
})
