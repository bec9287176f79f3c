import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainForm } from '../../../../state/kernel/shape/go-forms.ts'
import type { Field, Shape, StructShape } from '../../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { decodeBody, decodeValue } from '../../../../state/scheduler/decoding.ts'
import { canonicalizeInput, storedJob } from '../../../../state/scheduler/job/canonical.ts'
import { type InputJob, type Job, jobShape } from '../../../../state/scheduler/job/job-shape.ts'
import type { RegisterContext } from '../../../../state/scheduler/jobs/context.ts'
import { planJobChange } from '../../../../state/scheduler/jobs/plan.ts'
import { planShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { jobFiles, parse, read, variableFiles } from '../job-file/support.ts'
import { anyCaller, frozenWorld, job, register } from '../jobs/support.ts'

/** Returns a job as the server stores it. Names of generated tasks do not depend on chance. */
function stored(input: InputJob, current?: Job): Job {
  return storedJob(input, { namespace: 'default', uuid: () => 'id', current })
}

/** Returns the request of a client that sends a value as JSON. */
function sent(value: unknown): InputJob {
  return decodeValue(JSON.parse(JSON.stringify(value)), jobShape)
}

/** Returns the stored forms of all spellings of a job. */
function storedSpellings(input: InputJob): Readonly<Record<string, Job>> {
  const first = stored(input)
  return {
    explicitDefaults: stored(sent(canonicalizeInput(input)), first),
    explicitNulls: stored(sent(withNulls(input, jobShape)), first),
    goStruct: stored(sent(plainForm(input, jobShape)), first),
    read: stored(sent(first), first),
    withoutZeros: stored(sent(withoutZeros(input, jobShape)), first),
  }
}

function expectOneForm(input: InputJob): void {
  for (const [spelling, form] of Object.entries(storedSpellings(input))) {
    expect({ [spelling]: form }).toEqual({ [spelling]: stored(input) })
  }
}

/** Returns a value in which every missing member is null. */
function withNulls(value: unknown, shape: Shape): unknown {
  return mapMembers(value, shape, withNulls, (member) => member ?? null)
}

/** Returns a value without nulls, and without zeros of members that are not pointers. */
function withoutZeros(value: unknown, shape: Shape): unknown {
  return mapMembers(value, shape, withoutZeros, (member, { goValue }) => {
    const isZero = goValue && (member === 0 || member === '' || member === false)
    return isZero ? undefined : (member ?? undefined)
  })
}

function mapMembers(
  value: unknown,
  shape: Shape,
  mapInner: (value: unknown, shape: Shape) => unknown,
  change: (member: unknown, field: Field) => unknown,
): unknown {
  if (value === null || value === undefined) return value
  switch (shape.kind) {
    case 'nullable':
      return mapInner(value, shape.to)
    case 'list':
      return Array.isArray(value) ? value.map((item) => mapInner(item, shape.of)) : value
    case 'map':
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, mapInner(item, shape.of)]),
      )
    case 'struct':
      return Object.fromEntries(
        Object.entries(shape.fields).flatMap(([name, field]) => {
          const member = change(mapInner(Reflect.get(value, name), field.shape), field)
          return member === undefined ? [] : [[name, member]]
        }),
      )
    default:
      return value
  }
}

/** Returns an arbitrary of the JSON values that clients may send for a shape. */
function valuesOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'nullable':
      return fc.oneof(fc.constant(null), valuesOf(shape.to))
    case 'list':
      return fc.oneof(fc.constant(null), fc.array(valuesOf(shape.of), { maxLength: 2 }))
    case 'map':
      return fc.oneof(
        fc.constant(null),
        fc.dictionary(fc.constantFrom('a', 'b'), valuesOf(shape.of), { maxKeys: 2 }),
      )
    case 'struct':
      return structsOf(shape)
    case 'bool':
      return fc.boolean()
    case 'int':
    case 'uint':
    case 'duration':
      return fc.constantFrom(0, 1, 7)
    case 'any':
      return fc.constantFrom('x', 1, null)
    case 'bytes':
      return fc.constant('')
    default:
      return fc.constantFrom('', 'a', 'bridge', 'signal', 'sched', 'file')
  }
}

function structsOf({ fields }: StructShape): fc.Arbitrary<unknown> {
  const members = Object.entries(fields)
    .filter(([, { isOutputOnly }]) => !isOutputOnly)
    .map(([name, field]) => [name, fc.option(valuesOf(field.shape), { nil: undefined })] as const)
  return fc.record(Object.fromEntries(members))
}

describe('behaviour/scheduler#canonical-form: one job, many spellings', () => {
  test.each(jobFiles)('the job file %s', (name) => {
    const variables = variableFiles.has(name) ? read(`${name}.vars`) : undefined
    expectOneForm(parse(read(`${name}.hcl`), variables))
  })

  test('any job that a request can hold', () => {
    fc.assert(
      fc.property(structsOf(jobShape), (value) => {
        expectOneForm(sent(value))
      }),
      { numRuns: 150 },
    )
  })
})

function planned(world: World, input: unknown, context: Partial<RegisterContext> = {}) {
  const request = decodeBody(JSON.stringify({ Job: input, Diff: true }), planShape)
  const { Diff, Annotations } = planJobChange(world, request, { ...anyCaller, ...context })
  const updates = Object.values(Annotations.DesiredTGUpdates).map(
    ({ DestructiveUpdate, InPlaceUpdate, Stop }) => DestructiveUpdate + InPlaceUpdate + Stop,
  )
  return { type: Diff?.Type, updates: Math.max(0, ...updates) }
}

const service = fc.record(
  {
    Name: fc.constant('web'),
    Provider: fc.constantFrom('', 'mesh', 'sched'),
    PortLabel: fc.constantFrom('http', '8080'),
    Tags: fc.constantFrom(null, [], ['a']),
    AddressMode: fc.constantFrom('', 'auto'),
    Weights: fc.constantFrom(null, {}, { Passing: 1 }),
  },
  { requiredKeys: ['Name', 'PortLabel'] },
)
const task = fc.record(
  {
    Name: fc.constant('main'),
    Driver: fc.constantFrom('docker', 'exec'),
    Env: fc.constantFrom(null, {}, { a: 'b' }),
    KillSignal: fc.constantFrom('', 'SIGINT'),
    Resources: fc.constantFrom(null, {}, { CPU: 100 }, { CPU: 200, MemoryMB: 300 }),
    Templates: fc.constantFrom(null, [
      { DestPath: 'a', EmbeddedTmpl: 'x', ChangeMode: 'signal', ChangeSignal: 'sighup' },
    ]),
    Secrets: fc.constantFrom(null, {}, { Role: 'r' }),
  },
  { requiredKeys: ['Name', 'Driver'] },
)
const group = fc.record(
  {
    Name: fc.constant('app'),
    Count: fc.constantFrom(null, 1, 2),
    Networks: fc.constantFrom(
      ...[['host'], ['bridge']].map(([Mode]) => [{ Mode, DynamicPorts: [{ Label: 'http' }] }]),
    ),
    Services: fc.array(service, { maxLength: 1 }),
    Tasks: fc.tuple(task),
    Scaling: fc.constantFrom(null, { Max: 5 }, { Max: 5, Enabled: true }),
    Spreads: fc.constantFrom(null, [{ Attribute: 'a', Weight: 50 }]),
  },
  { requiredKeys: ['Name', 'Networks', 'Tasks'] },
)
const validJobs = fc.record(
  {
    ID: fc.constant('web'),
    Name: fc.constantFrom('web', undefined),
    Type: fc.constantFrom('service', undefined),
    Priority: fc.constantFrom(50, 60, null),
    Spreads: fc.constantFrom(null, [], [{ Attribute: 'a' }]),
    Meta: fc.constantFrom(null, {}, { a: 'b' }),
    UI: fc.constantFrom(null, { Description: 'd' }),
    TaskGroups: fc.tuple(group),
    Version: fc.constantFrom(0, 9),
  },
  { requiredKeys: ['ID', 'TaskGroups'] },
)

describe('behaviour/scheduler#versions: plan and registration compare alike', () => {
  test('a job that was read changes nothing, planned or registered', () => {
    fc.assert(
      fc.property(validJobs, (members) => {
        const world = frozenWorld()
        register(world, members)
        const first = job(world, 'web')
        for (const spelling of [members, first, plainForm(sent(members), jobShape)]) {
          expect(planned(world, spelling)).toEqual({ type: 'None', updates: 0 })
          register(world, JSON.parse(JSON.stringify(spelling)))
          expect(job(world, 'web').Version).toBe(0)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('a plan shows a change exactly if registering makes a version', () => {
    fc.assert(
      fc.property(validJobs, validJobs, (one, other) => {
        const world = frozenWorld()
        register(world, one)
        const { type } = planned(world, other)
        register(world, other)
        expect(job(world, 'web').Version).toBe(type === 'None' ? 0 : 1)
      }),
      { numRuns: 60 },
    )
  })

  test('a change that no difference lists is a change', () => {
    const world = frozenWorld()
    const members = {
      ID: 'web',
      TaskGroups: [{ Name: 'a', Tasks: [{ Name: 't', Driver: 'exec' }] }],
    }
    register(world, members)
    expect(planned(world, { ...members, Spreads: [{ Attribute: 'a' }] }).type).toBe('Edited')
    expect(planned(world, members, { accessorId: 'other' }).type).toBe('Edited')
  })
})
