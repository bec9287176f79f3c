import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedSchema } from '../../../../state/kernel/shape/schema.ts'
import { diffJobs } from '../../../../state/scheduler/diff/job-diff.ts'
import { jobDiffShape } from '../../../../state/scheduler/diff/shapes.ts'
import { type Job, jobShape, type TaskGroup } from '../../../../state/scheduler/job/job-shape.ts'
import type { Service } from '../../../../state/scheduler/job/service-shapes.ts'
import type { Task } from '../../../../state/scheduler/job/task-shape.ts'
import {
  storedBatchJob,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'

const name = fc.constantFrom('a', 'b', 'c', '__proto__')
const text = fc.constantFrom('', 'x', 'y', 'é')
const texts = fc.option(fc.uniqueArray(name, { minLength: 1 }))
const number = fc.integer({ min: 0, max: 3 })
const pairs = fc.option(fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }))
const constraints = fc.option(
  fc.array(fc.record({ LTarget: text, RTarget: text, Operand: fc.constant('=') }), {
    minLength: 1,
    maxLength: 3,
  }),
)

/**
 * Returns an arbitrary of lists whose items differ in one member, which identifies items that
 * belong together.
 */
function named<Item>(item: fc.Arbitrary<Item>, identity: (item: Item) => string) {
  return fc.option(fc.uniqueArray(item, { minLength: 1, maxLength: 3, selector: identity }))
}

const check = fc.record({
  Name: name,
  Type: text,
  Command: text,
  Args: texts,
  Path: text,
  Protocol: text,
  PortLabel: text,
  Interval: number,
  Timeout: number,
  InitialStatus: text,
})

/**
 * Every service has its own label. With equal labels, the pairing would depend on the direction of
 * the diff.
 */
const services: fc.Arbitrary<readonly Service[] | null> = named(
  fc.record(
    { Name: name, Tags: texts, Checks: named(check, ({ Name }) => Name), Meta: pairs },
    { requiredKeys: ['Name', 'Tags', 'Checks'] },
  ),
  ({ Name }) => Name,
).map((items) => items?.map((service) => ({ ...service, PortLabel: service.Name })) ?? null)

const taskChange: fc.Arbitrary<Partial<Task>> = fc.record(
  {
    User: text,
    Leader: fc.boolean(),
    KillTimeout: number,
    Env: pairs,
    Config: fc.option(
      fc.dictionary(
        name,
        fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value))),
        { minKeys: 1, noNullPrototype: true },
      ),
    ),
    Constraints: constraints,
    DispatchPayload: fc.option(fc.record({ File: text })),
    Services: services,
    VolumeMounts: fc.option(
      fc.array(
        fc.record({
          Volume: name,
          Destination: text,
          ReadOnly: fc.boolean(),
          PropagationMode: text,
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
  },
  { requiredKeys: [] },
)

const groupChange: fc.Arbitrary<Partial<TaskGroup>> = fc.record(
  {
    Count: number,
    Meta: pairs,
    ShutdownDelay: fc.option(number),
    Services: services,
    Constraints: constraints,
    EphemeralDisk: fc.option(
      fc.record({ Sticky: fc.boolean(), SizeMB: number, Migrate: fc.boolean() }),
    ),
    Tasks: named(
      fc.tuple(name, taskChange).map(([Name, change]) => ({ ...storedTask(change), Name })),
      ({ Name }) => Name,
    ),
  },
  { requiredKeys: [] },
)

const anyJob: fc.Arbitrary<Job> = fc
  .record(
    {
      Priority: number,
      Meta: pairs,
      Datacenters: texts,
      Constraints: constraints,
      TaskGroups: named(
        fc.tuple(name, groupChange).map(([Name, change]) => ({ ...storedGroup(change), Name })),
        ({ Name }) => Name,
      ),
      Version: number,
    },
    { requiredKeys: [] },
  )
  // Rows have a prototype, but generated records do not.
  .map((change) => structuredClone(storedServiceJob(change)))

const swapped: Readonly<Record<string, string>> = { Added: 'Deleted', Deleted: 'Added' }

/**
 * Returns the diff of the opposite direction, with its lists in an order that does not depend on
 * types.
 */
function mirrored(value: unknown): unknown {
  return inOrder(value, (type) => swapped[type] ?? type, true)
}

function unordered(value: unknown): unknown {
  return inOrder(value, (type) => type, false)
}

function inOrder(value: unknown, typeOf: (type: string) => string, swap: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inOrder(item, typeOf, swap))
    return items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([member, each]) => {
    if (member === 'Type') return [member, typeOf(String(each))]
    return [member, inOrder(each, typeOf, swap)]
  })
  const object: Record<string, unknown> = Object.fromEntries(members)
  return swap && 'Old' in object ? { ...object, Old: object.New, New: object.Old } : object
}

describe('the sample jobs of these tests are complete (behaviour/scheduler#canonical-form)', () => {
  test.each([storedServiceJob(), storedBatchJob()])('of type $Type', (job) => {
    const fits = new Ajv().compile(storedSchema(jobShape))
    expect(fits(job), JSON.stringify(fits.errors)).toBe(true)
  })
})

describe('diffs in general (behaviour/scheduler#diff)', () => {
  test('equal jobs differ in nothing, and list all groups and tasks', () => {
    fc.assert(
      fc.property(anyJob, fc.boolean(), (job, contextual) => {
        const groups = [...(job.TaskGroups ?? [])].sort((a, b) => (a.Name < b.Name ? -1 : 1))
        const nothing = { Type: 'None', Fields: null, Objects: null }
        expect(diffJobs(job, structuredClone(job), { contextual })).toStrictEqual({
          ...nothing,
          ID: 'example',
          TaskGroups: orNull(
            groups.map(({ Name, Tasks }) => ({
              ...nothing,
              Name,
              Updates: null,
              Tasks: orNull(
                (Tasks ?? [])
                  .map((task) => ({ ...nothing, Name: task.Name, Annotations: null }))
                  .sort((a, b) => (a.Name < b.Name ? -1 : 1)),
              ),
            })),
          ),
        })
      }),
    )
  })

  test('the reverse diff is the diff with old and new, added and deleted swapped', () => {
    const side = fc.option(anyJob, { nil: undefined, freq: 10 })
    fc.assert(
      fc.property(side, side, fc.boolean(), (old, next, contextual) => {
        const there = diffJobs(old, next, { contextual })
        const back = diffJobs(next, old, { contextual })
        expect(unordered(back)).toStrictEqual(mirrored(there))
      }),
      { numRuns: 100 },
    )
  })

  test('a diff without context is the contextual diff without unchanged parts, in some order', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (old, next) => {
        const full = diffJobs(old, next, { contextual: true })
        const plain = diffJobs(old, next, { contextual: false })
        expect(unordered(plain)).toStrictEqual(unordered(changesOf(full)))
      }),
      { numRuns: 100 },
    )
  })

  test('every diff matches the schema of replies, and no comparison changes a job', () => {
    const fits = new Ajv().compile(storedSchema(jobDiffShape))
    fc.assert(
      fc.property(anyJob, anyJob, (old, next) => {
        const copies = structuredClone([old, next])
        expect(fits(diffJobs(old, next, { contextual: true })), JSON.stringify(fits.errors)).toBe(
          true,
        )
        expect([old, next]).toStrictEqual(copies)
      }),
      { numRuns: 50 },
    )
  })
})

/** Returns a diff without objects and fields of type None. Empty lists become null. */
function changesOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isNamed = (item: object) =>
      'Tasks' in item || ('Objects' in item && 'Annotations' in item)
    const kept = value.filter((item) => isNamed(item) || item.Type !== 'None')
    return orNull(kept.map(changesOf))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, each]) => [member, changesOf(each)]),
  )
}

function orNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items
}
