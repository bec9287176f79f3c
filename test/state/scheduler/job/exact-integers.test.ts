import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../../../state/kernel/deep-json.ts'
import { integerFormOf } from '../../../../state/kernel/shape/exact-integers.ts'
import type { Field, Shape } from '../../../../state/kernel/shape/kinds.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { diffJobs } from '../../../../state/scheduler/diff/job-diff.ts'
import { storedJob } from '../../../../state/scheduler/job/canonical.ts'
import { type Job, jobShape } from '../../../../state/scheduler/job/job-shape.ts'

/** Position of a member in a job: names, and `[]` for the first item or entry. */
type Path = readonly string[]

/** Members that a job inherits from others, or that 1.9.7 replaces by values of its own. */
const replaced: ReadonlySet<string> = new Set([
  'Priority',
  'SubmitTime',
  'Version',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
])

/** Returns the positions of the whole numbers of 64 bits that a stored job keeps. */
function integerPaths(shape: Shape, path: Path = []): readonly Path[] {
  switch (shape.kind) {
    case 'int':
    case 'uint':
    case 'duration':
      return shape.bits === undefined || shape.bits === 64 ? [path] : []
    case 'nullable':
      return integerPaths(shape.to, path)
    case 'list':
    case 'map':
      return integerPaths(shape.of, [...path, '[]'])
    case 'struct':
      return Object.entries<Field>(shape.fields).flatMap(([name, field]) =>
        isKept(name, field) ? integerPaths(field.shape, [...path, name]) : [],
      )
    default:
      return []
  }
}

function isKept(name: string, { presence, isDropped }: Field): boolean {
  return presence !== 'sent' && !isDropped && !replaced.has(name)
}

/** Returns the JSON of a job that holds the digits at a position. */
function jobWith(path: Path, shape: Shape, digits: string): string {
  const [name = '', ...rest] = path
  switch (shape.kind) {
    case 'nullable':
      return jobWith(path, shape.to, digits)
    case 'list':
      return `[${jobWith(rest, shape.of, digits)}]`
    case 'map':
      return `{"a":${jobWith(rest, shape.of, digits)}}`
    case 'struct': {
      const field: Field | undefined = shape.fields[name]
      const value = field === undefined ? 'null' : jobWith(rest, field.shape, digits)
      return `{${JSON.stringify(name)}:${value}}`
    }
    default:
      return digits
  }
}

function stored(json: string, current?: Job): Job {
  const input = decodeBody(json, jobShape)
  return storedJob(input, { namespace: 'default', uuid: () => 'id', current })
}

/** Returns a job as it comes back from a state document. */
function exportedAndImported(job: Job): unknown {
  const form = integerFormOf(jobShape)
  return form?.read(JSON.parse(JSON.stringify(form.write(job))))
}

/** Members of the job's own update block that 1.9.7 clears after groups have inherited them. */
const cleared = /^Update\/(MinHealthyTime|HealthyDeadline|ProgressDeadline|Canary)$/

describe('whole numbers of 64 bits (behaviour/scheduler#integers)', () => {
  const paths = integerPaths(jobShape)

  test('a job has more than 100 whole numbers of 64 bits', () => {
    expect(paths.length).toBeGreaterThan(100)
  })

  const places = paths.map((path) => path.join('/')).filter((place) => !cleared.test(place))

  test.for(places)('%s keeps every digit', (place) => {
    const path = place.split('/')
    for (const digits of ['9007199254740993', '9223372036854775807']) {
      const job = stored(jobWith(path, jobShape, digits))
      const text = stringifyJson(job)
      expect(text).toContain(`${JSON.stringify(path.at(-1))}:${digits}`)
      const again = stored(text, job)
      expect(again).toEqual(job)
      expect(diffJobs(job, again, { contextual: false }).Type).toBe('None')
      expect(exportedAndImported(job)).toEqual(job)
    }
  })

  test('numbers that differ in the last digit differ', () => {
    const path = ['TaskGroups', '[]', 'Tasks', '[]', 'KillTimeout']
    const [old, next] = ['9223372036854775806', '9223372036854775807'].map((digits) =>
      stored(jobWith(path, jobShape, digits)),
    )
    const diff = JSON.stringify(diffJobs(old, next, { contextual: false }))
    expect(diff).toContain('"Old":"9223372036854775806","New":"9223372036854775807"')
  })
})
