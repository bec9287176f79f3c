import { describe, expect, test } from 'vitest'
import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import { constant } from '../../src/cli/compare/generators.ts'
import {
  type Answer,
  type ComparedRequest,
  rootRequest,
  type Target,
} from '../../src/cli/compare/request.ts'
import { comparedScheduler } from '../../src/cli/compare/scheduler.ts'
import { schedulerSequences } from '../../src/cli/compare/scheduler-requests.ts'
import { differencesBetween, findDifferences, normalize } from '../../src/cli/compare/search.ts'
import { comparedSecrets } from '../../src/cli/compare/secrets.ts'
import { secretsSequences } from '../../src/cli/compare/secrets-requests.ts'
import { comparedApis } from './apis.ts'
import { compareFixedRequests, type FixedRequests } from './fixed-requests.ts'
import { meshSuites } from './mesh/suites.ts'
import { comparedMesh, comparedMeshWith } from './mesh.ts'
import { meshSequences } from './mesh-requests.ts'
import { withMock } from './mock.ts'
import { schedulerSuites } from './scheduler/suites.ts'
import { secretsFamilies } from './secrets-families.ts'

/** Runs work with two mocks of one seed. */
function withTwo<T>(
  api: ComparedApi,
  work: (left: Target, right: Target) => Promise<T>,
): Promise<T> {
  return withMock(api, (left) => withMock(api, (right) => work(left, right), 'other'))
}

/**
 * Returns the target with a planted defect: after a write to `writes`, reads of `reads` return 410
 * instead of 404.
 */
function targetWithDefect(
  target: Target,
  { writes, reads }: { writes: string; reads: string },
): Target {
  let written = false
  return {
    ...target,
    async send(request): Promise<Answer> {
      const answer = await target.send(request)
      const { method, path } = request
      if (
        path.startsWith('sys/mounts/understudy-') ||
        path.includes('?recurse') ||
        path === 'system/gc'
      )
        written = false
      if (method !== 'GET' && path.startsWith(writes) && answer.status < 300) written = true
      const isRead = method === 'GET' && path.startsWith(reads)
      return written && isRead && answer.status === 404 ? { ...answer, status: 410 } : answer
    },
  }
}

const kv1: ComparedApi = {
  ...comparedSecrets('vendor'),
  known: [],
  sequences: (longest) => secretsSequences(longest, 'vendor', ['kv-v1']),
  // One mount is enough; each further one takes time.
  before: [rootRequest('POST', 'sys/mounts/understudy-kv1', { type: 'kv' })],
  after: [rootRequest('DELETE', 'sys/mounts/understudy-kv1')],
}

const ofKv1 = { writes: 'understudy-kv1/b', reads: 'understudy-kv1/' }

/**
 * Test timeout in milliseconds. Each sequence has dozens of requests, and other tests run in
 * parallel.
 */
const testTimeout = 120_000

describe('the oracle compares two servers with equal requests', () => {
  test.each(comparedApis)(
    'two mocks of one seed answer alike: $name',
    async (each) => {
      const api = { ...each, known: [] }
      const { findings } = await withTwo(api, (left, right) =>
        findDifferences({ api, left, right, seed: '1', runs: 10, maxFindings: 1 }),
      )
      expect(findings).toEqual([])
    },
    testTimeout,
  )

  test.each(secretsFamilies())(
    'two mocks of one seed answer the family $family alike, and serve many of its requests',
    async (each) => {
      const api = { ...each, known: [] }
      const statuses: number[] = []
      const counted = (target: Target): Target => ({
        ...target,
        async send(request): Promise<Answer> {
          const answer = await target.send(request)
          statuses.push(answer.status)
          return answer
        },
      })
      const { findings } = await withTwo(api, (left, right) =>
        findDifferences({
          api,
          left: counted(left),
          right,
          seed: '1',
          runs: 5,
          maxFindings: 1,
          maxRequests: 9,
        }),
      )
      expect(findings).toEqual([])
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(3)
    },
    testTimeout,
  )

  test(
    'a planted difference is found and reported with the fewest requests',
    async () => {
      const requestTexts: string[] = []
      const { findings } = await withTwo(kv1, (left, right) =>
        findDifferences({
          api: kv1,
          maxRequests: 8,
          left,
          right: targetWithDefect(right, ofKv1),
          seed: '5',
          runs: 40,
          maxFindings: 1,
          onFinding: ({ kind }) => requestTexts.push(kind),
        }),
      )
      expect(requestTexts).toEqual([expect.stringMatching(/^kv1\w+: status 404 → 410$/)])
      const [finding] = findings
      expect(finding?.requests).toHaveLength(2)
      expect(finding?.requests[0]?.path).toMatch(/^understudy-kv1\/b/)
      expect(finding?.requests[1]?.method).toBe('GET')
    },
    testTimeout,
  )

  test.each([
    {
      asked: comparedMesh,
      sequences: (longest: number) => meshSequences(longest, /^(?:put|read)Key$/),
      writes: 'kv/b',
      reads: 'kv/',
      kind: 'readKey: status 404 → 410',
    },
    {
      asked: comparedScheduler({ dialect: 'vendor' }),
      sequences: (longest: number) =>
        schedulerSequences(longest, {
          dialect: 'vendor',
          operationPattern: /^(?:write|read)Variable$/,
        }),
      writes: 'var/understudy/b',
      reads: 'var/',
      kind: 'readVariable: status 404 → 410',
    },
  ])(
    'a planted difference is found among the requests of $asked.name',
    async (plant) => {
      const api: ComparedApi = { ...plant.asked, known: [], sequences: plant.sequences }
      const {
        findings: [finding],
      } = await withTwo(api, (left, right) =>
        findDifferences({
          api,
          left,
          right: targetWithDefect(right, plant),
          seed: '3',
          runs: 300,
          maxFindings: 1,
        }),
      )
      expect(finding?.kind).toBe(plant.kind)
      expect(finding?.requests).toHaveLength(2)
      expect(finding?.requests[0]?.path).toContain(plant.writes)
      expect(finding?.requests[1]?.method).toBe('GET')
    },
    testTimeout,
  )

  test('known differences, matched by kind and by answer, are not reported', async () => {
    const requests: readonly ComparedRequest[] = [
      { operation: 'kv1Delete', method: 'DELETE', path: 'understudy-kv1/b', token: 'root' },
      { operation: 'kv1Read', method: 'GET', path: 'understudy-kv1/a', token: 'root' },
    ]
    const known = [{ kind: /^kv1Read: status 404/, answers: /"errors":\[\]/, reason: 'planted' }]
    const api: ComparedApi = {
      ...kv1,
      known,
      sequences: () => constant(requests),
    }
    await withTwo(api, async (left, mock) => {
      const right = targetWithDefect(mock, ofKv1)
      expect(await differencesBetween(api, left, right, requests)).toMatchObject([
        { kind: 'kv1Read: status 404 → 410', request: requests[1] },
      ])
      const quiet = findDifferences({ api, left, right, seed: '1', runs: 2, maxFindings: 1 })
      expect(await quiet).toEqual({
        findings: [],
        known: [{ kind: 'kv1Read: status 404 → 410', reason: 'planted', times: 2 }],
        tried: 2,
      })
    })
  })

  test(
    'fixed requests find a planted difference, and none between two mocks',
    async () => {
      const sample = (suite: FixedRequests): FixedRequests => ({
        ...suite,
        sequences: suite.sequences.slice(0, 2).map((requests) => requests.slice(0, 40)),
      })
      const api = comparedScheduler({ dialect: 'vendor' })
      // Suites with `waitForJob` take too long, because they wait for jobs.
      const suites = schedulerSuites.filter((suite) => suite.waitForJob === undefined).map(sample)
      await withTwo(api, async (left, right) => {
        for (const suite of suites) {
          expect([suite.name, await compareFixedRequests(suite, left, right)]).toEqual([
            suite.name,
            [],
          ])
        }
        const defective: Target = {
          ...right,
          async send(request) {
            const answer = await right.send(request)
            return { ...answer, body: String(answer.body).replace('of type int', 'of type int64') }
          },
        }
        const [fields] = suites
        if (fields === undefined) throw new Error('there is no suite')
        const withBadPriority = schedulerSuites[0]?.sequences.filter((requests) =>
          requests.some(({ operation }) => operation.includes('Priority = "bad"')),
        )
        const planted = await compareFixedRequests(
          { ...fields, sequences: withBadPriority ?? [] },
          left,
          defective,
        )
        expect(planted.some(({ kind }) => kind.includes('Priority = "bad"'))).toBe(true)
      })
    },
    testTimeout,
  )

  test.each(schedulerSuites.filter(({ waitForJob }) => waitForJob !== undefined))(
    'the scenarios of clusters find a planted difference, and none between two mocks: $name',
    async (suite) => {
      // Neither server has ACLs, and both run the tasks of their jobs.
      const api = { ...comparedScheduler({ dialect: 'vendor' }), setUp: { options: {} } }
      await withMock(api, (left, leftWorld) =>
        withMock(
          api,
          async (right, rightWorld) => {
            const worlds = { [left.name]: leftWorld, [right.name]: rightWorld }
            for (const { clock } of [leftWorld, rightWorld]) clock.set({ mode: 'frozen' })
            const sample: FixedRequests = {
              ...suite,
              sequences: suite.sequences.slice(0, 2),
              async prepare() {
                // The suite prepares the mock alone, because a real server has one node.
                await suite.prepare?.(left, right)
                await suite.prepare?.(right, left)
              },
              async waitForJob({ name }, { operation }) {
                if (operation.startsWith('wait for')) worlds[name]?.clock.advance('60s')
              },
              known: [],
            }
            expect(await compareFixedRequests(sample, left, right)).toEqual([])
            const defective: Target = {
              ...right,
              async send(request) {
                const answer = await right.send(request)
                const text = JSON.stringify(answer.body ?? null)
                return { ...answer, body: JSON.parse(text.replaceAll('"complete"', '"failed"')) }
              },
            }
            const planted = await compareFixedRequests(sample, left, defective)
            expect(planted.map(({ kind }) => kind)).toContainEqual(
              expect.stringMatching(/, allocations: .* complete .* → .* failed /),
            )
          },
          'other',
        ),
      )
    },
    testTimeout,
  )

  const rights = meshSuites.filter(({ name }) => name === 'rights')

  test.each([
    ...meshSuites.map((suite) => ({ suite, name: suite.name, policy: 'deny' as const })),
    ...rights.map((suite) => ({ suite, name: suite.name, policy: 'allow' as const })),
  ])(
    'the requests $name find a planted difference, and none between two meshes that $policy',
    async ({ suite, policy }) => {
      const sequences = [0, 1, 5].flatMap((at) => suite.sequences.slice(at, at + 1))
      const sample = { ...suite, sequences, known: [] }
      await withTwo(comparedMeshWith(policy), async (left, right) => {
        expect(await compareFixedRequests(sample, left, right)).toEqual([])
        const defective: Target = {
          ...right,
          async send(request) {
            const answer = await right.send(request)
            return answer.status >= 400 ? { ...answer, status: 418 } : answer
          },
        }
        const [planted] = await compareFixedRequests(sample, left, defective)
        expect(planted?.kind).toMatch(/: [45]\d\d .* → 418 /s)
      })
    },
    testTimeout,
  )

  test('answers are compared without ids, times, tokens and names of products', () => {
    const answer = {
      request_id: 'a',
      created_time: '2026-01-01T00:00:00.5Z',
      creation_time: 1_767_225_600,
      warnings: [
        'OpenBao drew 01234567-89ab-cdef-0123-456789abcdef and s.012345678901234567890123',
      ],
    }
    expect(normalize(answer, comparedSecrets('vendor'), { OpenBao: 'Vault' })).toEqual({
      request_id: '<request_id>',
      created_time: '<time>',
      creation_time: '<creation_time>',
      warnings: ['Vault drew <id> and <token>'],
    })
  })
})
