import { expect, test } from 'vitest'
import { aclScheduler, failureOf, frozenScheduler } from './support.ts'

const section = 'behaviour/scheduler#conventions'

test.for([
  ['namespace', 'Missing Namespace Name'],
  ['acl/policy', 'Missing Policy Name'],
  ['acl/token', 'Missing Token Accessor'],
])(
  `an empty name after %s/ is refused before method, token and body (${section})`,
  async ([path, text]) => {
    const { scheduler: client } = await frozenScheduler()
    const { scheduler: anonymous, as } = await aclScheduler()
    for (const caller of [client, anonymous, as('unknown')]) {
      expect(await failureOf(caller.get(`${path}/`))).toEqual([400, text])
      expect(await failureOf(caller.post(`${path}/`, ''))).toEqual([400, text])
      expect(await failureOf(caller.delete(`${path}/`))).toEqual([400, text])
    }
  },
)

test.for([
  ['node', 'missing node ID'],
  ['deployment', 'missing deployment ID'],
])(`an empty ID after %s/ is refused after the rights (${section})`, async ([path, text]) => {
  const { manager, scheduler: anonymous } = await aclScheduler()
  expect(await failureOf(manager.get(`${path}/`))).toEqual([500, text])
  expect(await failureOf(anonymous.get(`${path}/`))).toEqual([403, 'Permission denied'])
  expect(await failureOf(manager.delete(`${path}/`))).toEqual([405, 'Invalid method'])
})
