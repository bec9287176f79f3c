import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compare } from '../../../src/cli/compare/compare.ts'
import type { ComparedApi } from '../../../src/cli/compare/compared-api.ts'
import { constant, listOf, oneOf, someOf, weighted } from '../../../src/cli/compare/generators.ts'
import { knownDifferences } from '../../../src/cli/compare/known-differences.ts'
import type { ComparedRequest } from '../../../src/cli/compare/request.ts'
import { findDifferences } from '../../../src/cli/compare/search.ts'
import { comparedSecrets } from '../../../src/cli/compare/secrets.ts'
import { shrink } from '../../../src/cli/compare/shrink.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { startServer } from '../../../src/cli/server.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { Ids } from '../../../state/kernel/worlds/ids.ts'
import { alteringProxy } from '../../support/altering-proxy.ts'

/** Starts a server to compare with, whose faults are the differences. */
async function realServer(fixtures = {}) {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    fixtures,
    options: { secrets: { start: 'bare' } },
    apiPorts: { secrets: 0, scheduler: 0 },
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return understudy.world()
}

/** Calls the command in this process. */
async function call(...argv: readonly string[]) {
  const config = await readConfig(['compare', '--seed=a', ...argv], {}, false)
  if ('help' in config || 'version' in config) throw new Error('expected a configuration')
  let stdout = ''
  let stderr = ''
  const caller = {
    stdout: {
      write(text: string) {
        stdout += text
      },
    },
    stderr: {
      write(text: string) {
        stderr += text
      },
    },
    on: () => undefined,
  }
  const code = await compare(config, caller, startServer)
  return { code, stdout, stderr }
}

describe('behaviour/program#commands: comparing with a real server', { timeout: 180_000 }, () => {
  test('a planted fault is reported once, with the fewest requests, and in the reports', async () => {
    const world = await realServer()
    world.faults.add({ match: { operation: 'kv1Read' }, action: { status: 418 } })
    const report = mkdtempSync(join(tmpdir(), 'understudy-compare-'))
    onTestFinished(() => rmSync(report, { recursive: true }))
    const argv = ['--token=root', '--sequences=60', `--report=${report}`]
    const { code, stdout, stderr } = await call(`--against=${world.apiUrl('secrets')}`, ...argv)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^kv1Read: status 200 → 418\n {2}P[^\n]+\n {2}GET understudy-kv1\/\S*[^\n]*\n {4}mock: {3}\{"status":200,.*\n {4}server: \{"status":418,/,
    )
    expect(stdout).toMatch(/\n\n60 sequences with seed a: \d+ kinds? of differences\n$/)
    expect(stderr).toContain('understudy: kv1Read: status 200 → 418\n')
    const file = (name: string) => readFileSync(join(report, name), 'utf8')
    const { differences, before, tried } = JSON.parse(file('comparison.json'))
    expect([tried, before.length, differences[0].requests.length]).toEqual([60, 4, 2])
    expect(differences[0]).toMatchObject({
      kind: 'kv1Read: status 200 → 418',
      mock: { status: 200 },
      server: { status: 418 },
    })
    expect(file('comparison.md')).toContain('## kv1Read: status 200 → 418\n')
    expect(file('comparison.xml')).toContain('name="kv1Read: status 200 → 418"')
  })

  test('a known difference has its reason and is not a failure', async () => {
    const world = await realServer()
    // As the open fork does: a 404 without its empty list of errors.
    const url = await alteringProxy(world.apiUrl('secrets'), ({ method, path }, reply) =>
      method === 'GET' && path.includes('/understudy-kv2/') && reply.body === '{"errors":[]}'
        ? { ...reply, body: '{}' }
        : reply,
    )
    const report = mkdtempSync(join(tmpdir(), 'understudy-compare-'))
    onTestFinished(() => rmSync(report, { recursive: true }))
    const argv = ['--token=root', '--sequences=60', `--report=${report}`]
    const { code, stdout } = await call(`--against=${url}`, ...argv)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^known, \d+ times: kv2\w+: 404\.errors\n {2}behaviour\/secrets#body-kinds: [^\n]+\n\n/,
    )
    expect(stdout).toMatch(/\n60 sequences with seed a: 0 kinds of differences, and \d known\n$/)
    const text = readFileSync(join(report, 'comparison.xml'), 'utf8')
    expect(text).toContain('<skipped message="behaviour/secrets#body-kinds: ')
    expect(readFileSync(join(report, 'comparison.md'), 'utf8')).toContain('## Known\n')
  })

  test.each([
    // A fresh world has nodes.
    { holds: 'nodes of others', fixtures: {}, lists: false },
    { holds: 'nothing', fixtures: { scheduler: { nodes: [] } }, lists: true },
  ])('of a cluster that holds $holds, are lists asked: $lists', async ({ fixtures, lists }) => {
    const world = await realServer(fixtures)
    const argv = ['--service=scheduler', '--sequences=40']
    const { code, stdout } = await call(`--against=${world.apiUrl('scheduler')}`, ...argv)
    expect(stdout).toMatch(/(?:^|\n)40 sequences with seed a: 0 kinds of differences[^\n]*\n$/)
    expect(code).toBe(0)
    // Lists that only sequences ask for; which of them a seed draws changes with all else drawn.
    const globalPaths = ['search/*', 'deployments', 'allocations', 'scaling/policies', 'acl/tokens']
    const globalRequests = globalPaths.flatMap((path) =>
      world.requests.find({ path: `/v1/${path}` }),
    )
    expect(globalRequests.length > 0).toBe(lists)
  })

  test('an unreachable server and an unwritable report end the command with an error', async () => {
    const world = await realServer()
    const url = world.apiUrl('secrets')
    await expect(call(`--against=${url}`, '--token=wrong')).rejects.toThrow(
      'nothing compared: the server answered 403: {"errors":["permission denied"]}',
    )
    const unwritableReport = ['--token=root', '--sequences=1', '--report=/dev/null/x']
    await expect(call(`--against=${url}`, ...unwritableReport)).rejects.toThrow(
      '--report: cannot write to /dev/null/x',
    )
    world.faults.add({ action: { reset: true } })
    await expect(call(`--against=${url}`, '--token=root')).rejects.toThrow(
      new RegExp(`^${url}: (?:socket hang up|read ECONNRESET)$`),
    )
  })

  test('the list of known differences: patterns that are some, and a reason for each', () => {
    for (const name of ['secrets', 'scheduler'] as const) {
      const known = knownDifferences(name)
      expect(known.length).toBeGreaterThan(5)
      for (const { kind, reason } of known) {
        expect(kind.test('')).toBe(false)
        expect(reason).toMatch(/\w{3}/)
      }
    }
  })
})

describe('draws by chance', () => {
  const sample = <T>(draw: (chance: Ids) => T) => {
    const chance = new Ids('a')
    return Array.from({ length: 400 }, () => draw(chance))
  }

  test('equal seeds draw equal requests', () => {
    const draw = listOf(oneOf(1, 2, 3), 0, 5)
    expect(draw(new Ids('x'))).toEqual(draw(new Ids('x')))
  })

  test('weights, lengths and order are kept', () => {
    const samples = sample(weighted([3, constant('a')], [1, constant('b')], [0, constant('c')]))
    const share = samples.filter((each) => each === 'a').length / samples.length
    expect(share).toBeGreaterThan(0.65)
    expect(share).toBeLessThan(0.85)
    expect(new Set(samples)).toEqual(new Set(['a', 'b']))
    expect(new Set(sample(listOf(constant(1), 1, 3)).map(({ length }) => length))).toEqual(
      new Set([1, 2, 3]),
    )
    const some = sample(someOf(['a', 'b', 'c'], 1, 2))
    expect(new Set(some.map((each) => each.join('')))).toEqual(
      new Set(['a', 'b', 'c', 'ab', 'ac', 'bc']),
    )
  })
})

describe('shrinking', () => {
  const request = (path: string, body: unknown) => ({
    operation: 'x',
    method: 'POST',
    path,
    token: 'root',
    body: JSON.stringify(body),
  })

  test('leaves the requests, members and items that are needed, and those that are kept', async () => {
    const requests = [
      request('a?x=1', { a: 1, keep: ['k'], b: [1, { c: 2, d: 3 }] }),
      request('b', {}),
      request('c', { z: 1 }),
    ]
    const [finding] = requests.map((each) => ({ kind: 'k', request: each, left: 1, right: 2 }))
    if (finding === undefined) throw new Error('there is one')
    const shows = (text: string) => text.includes('\\"c\\":2') && text.includes('"path":"c"')
    const least = await shrink({ ...finding, requests }, new Set(['keep']), async (tried) =>
      shows(JSON.stringify(tried)) ? [finding] : [],
    )
    expect(least.requests).toEqual([request('a', { keep: ['k'], b: [{ c: 2 }] }), request('c', {})])
  })

  test('a finding keeps the members without which the replies differ only as intended', async () => {
    const target = (name: string) => ({
      name,
      token: 'root',
      send: async ({ body = '' }: ComparedRequest) => {
        const message = body.includes('bad') ? `${name} refuses the member` : `${name} text`
        return { status: 400, body: { errors: [message] } }
      },
    })
    const api: ComparedApi = {
      ...comparedSecrets('vendor'),
      before: [],
      after: [],
      sequences: () => constant([request('a', { bad: 1, other: 2 })]),
      known: [{ kind: /400/, answers: /text/, reason: 'The server has reworded the text' }],
    }
    const { findings } = await findDifferences({
      ...{ api, left: target('mock'), right: target('server') },
      ...{ seed: 'a', runs: 1 },
    })
    expect(findings.map(({ requests }) => requests)).toEqual([[request('a', { bad: 1 })]])
  })
})
