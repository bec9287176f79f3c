import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import type { Affinity, Spread } from '../../../../state/scheduler/job/scheduling-shapes.ts'
import {
  affinityErrors,
  constraintErrors,
  spreadErrors,
} from '../../../../state/scheduler/validation/constraint.ts'
import { reference } from '../job/sample-job.ts'
import { multiError } from '../support.ts'
import { inTask, taskErrorsOf } from './job-errors.ts'

const section = 'behaviour/scheduler#validation'

describe(`${section}: constraint`, () => {
  // choice/scheduler#validation-empty-operand
  test.each<[left: string, operand: string, right: string, errors: string[]]>([
    ['a', '', 'b', ['Missing constraint operand', 'Unknown constraint type ""']],
    ['a', 'x', 'b', ['Unknown constraint type "x"']],
    ['a', '=', '', ['Operator "=" requires an RTarget']],
    ['', '=', 'b', ['No LTarget provided but is required by constraint']],
    [
      'a',
      'regexp',
      '(',
      ['Regular expression failed to compile: error parsing regexp: missing closing ): `(`'],
    ],
    ['a', 'version', 'x', ['Version constraint is invalid: Malformed constraint: x']],
    ['a', 'semver', '~> 1', ['Semver constraint is invalid: Malformed constraint: ~> 1']],
    ['a', 'set_contains', '', ['Set contains constraint requires an RTarget']],
    ['a', 'is_set', 'b', ['Operator "is_set" does not support an RTarget']],
    [
      'a',
      'distinct_property',
      'x',
      ['Failed to convert RTarget "x" to uint64: strconv.ParseUint: parsing "x": invalid syntax'],
    ],
    [
      'a',
      'distinct_property',
      '0',
      ['Distinct Property must have an allowed count of 1 or greater: 0 < 1'],
    ],
  ])('%j %s %j: %j', (LTarget, Operand, RTarget, errors) => {
    expect(
      constraintErrors({ LTarget, Operand, RTarget }).map((error) => renderMessage(error)),
    ).toEqual(errors)
  })

  const operands = '= == is != not < <= > >= regexp version semver set_contains'.split(' ')
  const more = 'set_contains_all set_contains_any distinct_property'.split(' ')
  test.each([...operands, ...more])('operand %s is valid', (Operand) => {
    expect(constraintErrors({ LTarget: reference('attr.a'), Operand, RTarget: '1' })).toEqual([])
  })

  test.each(['is_set', 'is_not_set', 'distinct_hosts'])('operand %s is valid', (Operand) => {
    expect(constraintErrors({ LTarget: reference('attr.a'), Operand, RTarget: '' })).toEqual([])
  })

  test.each([
    reference('node.unique.id'),
    reference('node.datacenter'),
    reference('node.unique.name'),
    reference('node.class'),
    reference('node.pool'),
    reference('attr.kernel.name'),
    reference('meta.rack'),
    reference('device.model'),
    // Validation does not check targets, so these are valid although no node has them.
    reference('node.unique_id'),
    reference('zz'),
    '$x',
    '${attr.x',
    'literal',
  ])('attribute %s is allowed', (LTarget) => {
    expect(constraintErrors({ LTarget, Operand: '=', RTarget: 'x' })).toEqual([])
  })

  test.each(['distinct_hosts', 'distinct_property'])('%s of a task', (Operand) => {
    expect(taskErrorsOf({ Constraints: [{ Operand, LTarget: reference('meta.rack') }] })).toEqual(
      inTask(`Constraint 1 has disallowed Operand at task level: ${Operand}`),
    )
  })

  test('an error of a task is nested', () => {
    expect(taskErrorsOf({ Constraints: [{ Operand: '=', LTarget: 'a' }] })).toEqual(
      inTask(`Constraint 1 validation failed: ${multiError(['Operator "=" requires an RTarget'])}`),
    )
  })
})

describe(`${section}: affinity/spread`, () => {
  const affinity: Affinity = { LTarget: 'a', Operand: '=', RTarget: 'b', Weight: 50 }
  const spread: Spread = { Attribute: 'a', Weight: 50, SpreadTarget: null }

  test.each<[change: Partial<Affinity>, errors: string[]]>([
    [{}, []],
    [{ Weight: 0 }, ['Affinity weight cannot be zero']],
    [{ Weight: 101 }, ['Affinity weight must be within the range [-100,100]']],
    [{ Weight: -101 }, ['Affinity weight must be within the range [-100,100]']],
    [{ Operand: '' }, ['Missing affinity operand', 'Unknown affinity operator ""']],
    [{ Operand: 'distinct_hosts' }, ['Unknown affinity operator "distinct_hosts"']],
    [{ LTarget: '' }, ['No LTarget provided but is required']],
    [{ RTarget: '' }, ['Operator "=" requires an RTarget']],
    [{ Operand: 'set_contains_any', RTarget: '' }, ['Set contains operators require an RTarget']],
    [
      { Operand: 'version', RTarget: 'x' },
      ['Version affinity is invalid: Malformed constraint: x'],
    ],
  ])('affinity with %j: %j', (change, errors) => {
    expect(affinityErrors({ ...affinity, ...change }).map((error) => renderMessage(error))).toEqual(
      errors,
    )
  })

  test.each<[change: Partial<Spread>, errors: string[]]>([
    [{}, []],
    [{ Attribute: '' }, ['Missing spread attribute']],
    [{ Weight: 0 }, ['Spread block must have a positive weight from 0 to 100']],
    [
      {
        SpreadTarget: [
          { Value: 'dc1', Percent: 60 },
          { Value: 'dc2', Percent: 60 },
        ],
      },
      ['Sum of spread target percentages must not be greater than 100%; got 120%'],
    ],
    [
      {
        SpreadTarget: [
          { Value: 'dc1', Percent: 101 },
          { Value: 'dc1', Percent: 0 },
        ],
      },
      [
        'Spread target percentage for value "dc1" must be between 0 and 100',
        'Spread target value "dc1" already defined',
        'Sum of spread target percentages must not be greater than 100%; got 101%',
      ],
    ],
  ])('spread with %j: %j', (change, errors) => {
    expect(spreadErrors({ ...spread, ...change }).map((error) => renderMessage(error))).toEqual(
      errors,
    )
  })
})
