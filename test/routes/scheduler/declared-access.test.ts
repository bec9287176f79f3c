import { describe, expect, test } from 'vitest'
import {
  accessText,
  requireCapability,
  requiresCapability,
} from '../../../routes/scheduler/access.ts'
import { schedulerDocument } from '../../../routes/scheduler/documents.ts'
import type { SchedulerContext } from '../../../routes/scheduler/operation.ts'
import { schedulerOperations } from '../../../routes/scheduler/operations.ts'
import { operationsIn } from '../../support/openapi/openapi-document.ts'
import { byManagement, byNamespace, cutLists, granting, open } from './access-operations.ts'

const section = 'behaviour/scheduler#auth'

/** Declared access by operation ID. */
const declared = new Map(schedulerOperations.map(({ id, access }) => [id, access]))

/** Returns the names of the rights that an operation declares, any of which suffices. */
function needsOf(id: string): readonly string[] {
  const access = declared.get(id)
  return access === undefined || access === 'anyone' ? [] : access.anyOf
}

describe(`operations require the rights that they declare (${section})`, () => {
  // access.test.ts calls each operation with these rules, and with all others.
  test.each(byNamespace)('$id', ({ id, sufficientRules }) => {
    // Some operations accept any capability.
    if (needsOf(id).includes('namespace:*')) return
    const capabilities = needsOf(id)
      .filter((need) => need.startsWith('namespace:'))
      .map((need) => granting(need.slice('namespace:'.length).split('+')))
    expect([...capabilities].sort()).toEqual([...sufficientRules].sort())
  })

  test.each(byManagement)('$id requires a management token', ({ id }) => {
    expect(needsOf(id)).toContain('management')
  })

  test.each(open)('$id is open to anyone', ({ id }) => {
    expect(declared.get(id)).toBe('anyone')
  })

  test.each(cutLists)('$id is filtered by the caller’s rights', ({ id }) => {
    expect(declared.get(id)).toMatchObject({ when: 'each' })
  })

  test('requiring an undeclared right is a programming error', () => {
    const caller = { may: () => true } as unknown as SchedulerContext['caller']
    const context = {
      caller,
      access: requiresCapability('read-job'),
    } as unknown as SchedulerContext
    expect(() => requireCapability(context, 'default', 'submit-job')).toThrow(
      'namespace:submit-job is demanded but not declared',
    )
    expect(() => requireCapability(context, 'default', 'read-job')).not.toThrow()
  })
})

test('behaviour/program#declared-once: documents show the required access', () => {
  const operations = operationsIn(schedulerDocument('neutral', '0'))
  for (const { id, access } of schedulerOperations) {
    const described: object = Object(operations.get(id))
    expect([id, Reflect.get(described, 'x-access')]).toEqual([id, accessText(access)])
    const statuses = Object.keys(operations.get(id)?.responses ?? {})
    expect([id, statuses.includes('403')]).toEqual([id, access !== 'anyone'])
  }
  expect(accessText(declared.get('registerJob') ?? 'anyone')).toBe(
    'namespace:submit-job, besides namespace:policy-override',
  )
  expect(accessText(declared.get('scaleJob') ?? 'anyone')).toBe(
    'namespace:scale-job or namespace:submit-job',
  )
})
