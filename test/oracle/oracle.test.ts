import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../src/index.ts'
import { differencesBetween, normalised } from './compare.ts'
import { findDifferences } from './find.ts'
import { httpTarget } from './http-target.ts'
import type { Answer, OracleRequest, Target } from './request.ts'
import { aroundSecrets, secretsSequences } from './secrets-requests.ts'

/** A mock that listens, of the same seed as every other one here. */
async function mock(name: string): Promise<Target> {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    seed: 'oracle',
    options: { secrets: { start: 'bare' } },
  })
  onTestFinished(() => understudy.close())
  return httpTarget(name, await understudy.listen(), 'root')
}

/** The target, but for one kind of answer, which depends on a request before it. */
function planted(target: Target): Target {
  let written = false
  return {
    ...target,
    async send(request): Promise<Answer> {
      const answer = await target.send(request)
      const { method, path } = request
      if (path.startsWith('sys/mounts/oracle-')) written = false
      if (method !== 'GET' && path.startsWith('oracle-kv1/b') && answer.status === 204) {
        written = true
      }
      const isRead = method === 'GET' && path.startsWith('oracle-kv1/')
      return written && isRead && answer.status === 404 ? { ...answer, status: 410 } : answer
    },
  }
}

const search = { sequences: secretsSequences(), around: aroundSecrets, known: [], most: 1 }

describe('an oracle: two servers asked the same', () => {
  test('two mocks of one seed differ in nothing', async () => {
    const [left, right] = [await mock('one'), await mock('other')]
    const findings = await findDifferences({ ...search, left, right, seed: 1, runs: 25 })
    expect(findings).toEqual([])
  })

  test('a planted difference is found, and told with the fewest requests', async () => {
    const [left, right] = [await mock('one'), planted(await mock('other'))]
    const told: string[] = []
    const findings = await findDifferences({
      ...search,
      sequences: secretsSequences(8, ['kv-v1']),
      left,
      right,
      seed: 5,
      runs: 40,
      onFinding: ({ kind }) => told.push(kind),
    })
    expect(told).toEqual([expect.stringMatching(/^kv1\w+: status 404 → 410$/)])
    const [finding] = findings
    expect(finding?.requests).toHaveLength(2)
    expect(finding?.requests[0]?.path).toMatch(/^oracle-kv1\/b/)
    expect(finding?.requests[1]?.method).toBe('GET')
  })

  test('a known difference is not told, by its kind and by what was answered', async () => {
    const [left, right] = [await mock('one'), planted(await mock('other'))]
    const requests: readonly OracleRequest[] = [
      { operation: 'kv1Delete', method: 'DELETE', path: 'oracle-kv1/b', token: 'root' },
      { operation: 'kv1Read', method: 'GET', path: 'oracle-kv1/a', token: 'root' },
    ]
    expect(await differencesBetween(left, right, requests, aroundSecrets)).toMatchObject([
      { kind: 'kv1Read: status 404 → 410', request: requests[1] },
    ])
    const known = [{ kind: /^kv1Read: status 404/, told: /"errors":\[\]/, reason: 'planted' }]
    const quiet = findDifferences({
      ...search,
      sequences: secretsSequences(1).map(() => requests),
      known,
      left,
      right,
      seed: 1,
      runs: 2,
    })
    expect(await quiet).toEqual([])
  })

  test('answers are compared without ids, times, tokens and names of products', () => {
    const answer = {
      request_id: 'a',
      created_time: '2026-01-01T00:00:00.5Z',
      creation_time: 1_767_225_600,
      warnings: [
        'OpenBao drew 01234567-89ab-cdef-0123-456789abcdef and s.012345678901234567890123',
      ],
    }
    expect(normalised(answer, { OpenBao: 'Vault' })).toEqual({
      request_id: '<request_id>',
      created_time: '<time>',
      creation_time: '<creation_time>',
      warnings: ['Vault drew <id> and <token>'],
    })
  })
})
