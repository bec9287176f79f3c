import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../../state/json/json.ts'
import { decodeValue } from '../../../../state/scheduler/decoding.ts'
import { jobShape } from '../../../../state/scheduler/job/job-shape.ts'
import { jobFiles, parse, read, variableFiles } from './support.ts'

describe('behaviour/scheduler#job-file-blocks: job files and the jobs they make', () => {
  test('at least forty files are written for this purpose', () => {
    expect(jobFiles.length).toBeGreaterThanOrEqual(40)
  })

  // The JSON beside a file has only members that are not null. All other members of the job must be
  // null; those that only replies have must be absent.
  test.each(jobFiles)('%s', (name) => {
    const variables = variableFiles.has(name) ? read(`${name}.vars`) : undefined
    const expected = decodeValue(parseJson(read(`${name}.json`)), jobShape)
    expect(parse(read(`${name}.hcl`), variables)).toStrictEqual(expected)
  })
})
