import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { World } from '../../../state/kernel/worlds/world.ts'
import { indexState, requireIndexState } from '../../../state/secrets/index-state.ts'
import { usesIndexStates } from '../../../state/secrets/options.ts'
import { clusterId } from '../../../state/secrets/seal/seal.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { freshWorld, makeToken } from './fresh-world.ts'

const behind = 'required index state not present'
const mismatch = 'invalid state header HMAC (mismatch)'
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Builds a state that the cluster would create at other indexes. */
function stateOf(world: World, local: number, replicated: number): string {
  const cluster = clusterId(world) ?? ''
  const state = `v1:${cluster}:${local}:${replicated}`
  return base64(`${state}:${createHmac('sha256', cluster).update(state).digest('hex')}`)
}

describe('behaviour/secrets#index-headers: index states', () => {
  test('an index state is a base64 text of version, cluster, two indexes and a MAC', () => {
    const world = freshWorld()
    const index = world.store.index('secrets')
    const [version, cluster, local, replicated, mac, ...rest] = Buffer.from(
      indexState(world),
      'base64',
    )
      .toString()
      .split(':')
    expect([version, cluster, local, replicated, rest]).toEqual([
      'v1',
      clusterId(world),
      `${index}`,
      `${index}`,
      [],
    ])
    expect(mac).toMatch(/^[0-9a-f]{64}$/)
    expect(indexState(world)).toBe(stateOf(world, index, index))
  })

  test('each commit advances it', () => {
    const world = freshWorld()
    const before = indexState(world)
    makeToken(world)
    expect(indexState(world)).not.toBe(before)
  })

  test('present and past states are accepted', () => {
    const world = freshWorld()
    const before = indexState(world)
    requireIndexState(world, before)
    makeToken(world)
    requireIndexState(world, before)
    requireIndexState(world, indexState(world))
  })

  test.each([
    [1, 0],
    [0, 1],
    [5, 5],
  ])('ahead by %i local and %i replicated commits is refused', (local, replicated) => {
    const world = freshWorld()
    const index = world.store.index('secrets')
    expect(() =>
      requireIndexState(world, stateOf(world, index + local, index + replicated)),
    ).toThrow(behind)
  })

  test('after a snapshot is restored, later states are refused', () => {
    const world = freshWorld()
    const snapshot = world.snapshot()
    makeToken(world)
    const state = indexState(world)
    world.restore(snapshot)
    expect(() => requireIndexState(world, state)).toThrow(behind)
    makeToken(world)
    requireIndexState(world, state)
  })

  test('a fork with fewer commits refuses its sibling’s state', () => {
    const world = freshWorld()
    const fork = new World({ id: 'fork', services: [secretsService], from: world.snapshot() })
    makeToken(world)
    expect(() => requireIndexState(fork, indexState(world))).toThrow(behind)
    requireIndexState(world, indexState(fork))
  })

  test('another cluster’s state is invalid', () => {
    const world = freshWorld()
    const other = new World({ id: 'other', seed: 'other', services: [secretsService] })
    expect(() => requireIndexState(world, indexState(other))).toThrow(mismatch)
  })

  test('a modified state is detected', () => {
    const world = freshWorld()
    const index = world.store.index('secrets')
    const whole = Buffer.from(indexState(world), 'base64').toString()
    const mac = whole.slice(whole.lastIndexOf(':') + 1)
    for (const text of [
      whole.replace(`:${index}:`, `:${index - 1}:`),
      whole.replace('v1', 'v2'),
      `${whole}0`,
      whole.slice(0, -1),
      `:${mac}`,
      `v1:${mac}`,
      whole.replace(mac, ''),
      ':',
    ]) {
      expect(() => requireIndexState(world, base64(text))).toThrow(mismatch)
    }
  })

  test.each([
    ['', 'invalid full state header format'],
    [base64('v1'), 'invalid full state header format'],
    ['%', 'illegal base64 data at input byte 0'],
    ['dje', 'illegal base64 data at input byte 0'],
  ])('%j: %s', (text, why) => {
    expect(() => requireIndexState(freshWorld(), text)).toThrow(why)
  })

  test.each([
    [{}, false],
    [{ indexHeaders: true }, true],
    [{ indexHeaders: true, edition: 'community' }, false],
    [{ indexHeaders: false, edition: 'enterprise' }, false],
  ] as const)('whether the options %j enable index states: %s', (options, used) => {
    expect(usesIndexStates(freshWorld(options))).toBe(used)
  })
})
