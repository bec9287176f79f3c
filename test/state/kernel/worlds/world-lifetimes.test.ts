import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Lifetimes } from '../../../../state/kernel/worlds/world-lifetimes.ts'
import { testWorlds } from '../../../support/kernel.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds)

describe('behaviour/program#worlds-for-clients: worlds with a ttl', () => {
  // choice/process#world-ttl
  test('end after their ttl without requests, in real time, and other worlds do not', () => {
    const ended: string[] = []
    const worlds = testWorlds({ onEnd: (id) => ended.push(id) })
    worlds.create({ id: 'brief', ttl: 1000 })
    worlds.create({ id: 'longer', ttl: 5000 })
    worlds.create({ id: 'lasting' })
    pass(990)
    expect(ended).toEqual([])
    pass(40)
    expect(ended).toEqual(['brief'])
    expect(worlds.find('brief')).toBeUndefined()
    pass(60_000)
    expect(ended).toEqual(['brief', 'longer'])
    expect(worlds.list().map(({ id }) => id)).toEqual(['default', 'lasting'])
  })

  // choice/process#world-ttl
  test('are kept alive by requests and by control', () => {
    const worlds = testWorlds()
    worlds.create({ id: 'w', ttl: 1000 })
    for (let round = 0; round < 5; round++) {
      pass(900)
      expect(worlds.named('w')?.id).toBe('w')
      pass(900)
      worlds.touch('w')
    }
    pass(1100)
    expect(worlds.named('w')).toBeUndefined()
  })

  // choice/process#world-ttl
  test('outlive a request that waits for its answer', () => {
    const worlds = testWorlds()
    const { watchers } = worlds.create({ id: 'w', ttl: 1000 }).store
    const leave = watchers.watchReplacement(() => {})
    pass(60_000)
    expect(worlds.find('w')?.id).toBe('w')
    leave()
    pass(2100)
    expect(worlds.find('w')).toBeUndefined()
  })

  test('worlds that are deleted, or whose process ends, do not end a second time', () => {
    const ended: string[] = []
    const worlds = testWorlds({ onEnd: (id) => ended.push(id) })
    worlds.create({ id: 'a', ttl: 10 })
    worlds.create({ id: 'b', ttl: 10 })
    worlds.delete('a')
    worlds.close()
    pass(1000)
    expect(ended).toEqual(['a'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('share one alarm', () => {
    const ended: string[] = []
    const lifetimes = new Lifetimes(
      () => false,
      (id) => {
        ended.push(id)
        lifetimes.forget(id)
      },
    )
    for (let number = 0; number < 5000; number++) lifetimes.start(`w${number}`, 1000 + number)
    expect([vi.getTimerCount(), lifetimes.size]).toEqual([1, 5000])
    pass(7000)
    expect([ended.length, lifetimes.size, vi.getTimerCount()]).toEqual([5000, 0, 0])
  })
})
