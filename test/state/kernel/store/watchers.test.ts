import { describe, expect, test } from 'vitest'
import { Watchers } from '../../../../state/kernel/store/commits.ts'

/** Returns watchers and a log of the callbacks that were called. */
function watching() {
  const watchers = new Watchers()
  const called: string[] = []
  return { watchers, called, log: (name: string) => () => void called.push(name) }
}

const change = (key: string, table = 't') => ({
  table,
  key,
  before: undefined,
  after: undefined,
  openTable: { indexes: [] },
})

describe('behaviour/program#store: watchers', () => {
  test('wake for their key or prefix only', () => {
    const { watchers, called, log } = watching()
    watchers.watchKey('t', 'a/b', log('key'))
    watchers.watchPrefix('t', 'a/', log('prefix'))
    watchers.watchPrefix('t', '', log('table'))
    watchers.watchKey('u', 'a/b', log('other table'))
    watchers.wake([change('a/b')])
    expect(called.splice(0).sort()).toEqual(['key', 'prefix', 'table'])
    watchers.wake([change('a/c')])
    expect(called.splice(0).sort()).toEqual(['prefix', 'table'])
    watchers.wake([change('a')])
    expect(called.splice(0)).toEqual(['table'])
    watchers.wake([change('a/b', 'v')])
    expect(called).toEqual([])
  })

  test('wake once per commit, however many rows of the commit match', () => {
    const { watchers, called, log } = watching()
    const wake = log('reader')
    watchers.watchKey('t', 'a', wake)
    watchers.watchPrefix('t', 'a', wake)
    watchers.watchPrefix('u', '', wake)
    watchers.wake([change('a'), change('ab'), change('x', 'u')])
    expect(called).toEqual(['reader'])
  })

  test('a stopped watcher is not called, and a second stop has no effect', () => {
    const { watchers, called, log } = watching()
    const stop = watchers.watchKey('t', 'a', log('first'))
    watchers.watchKey('t', 'a', log('second'))
    stop()
    stop()
    watchers.wake([change('a')])
    expect(called).toEqual(['second'])
  })

  test('stopping a watcher twice does not stop a later watcher of the same name', () => {
    const { watchers, called, log } = watching()
    const stop = watchers.watchPrefix('t', 'a', log('first'))
    stop()
    watchers.watchPrefix('t', 'a', log('second'))
    stop()
    watchers.wake([change('ab')])
    expect(called).toEqual(['second'])
  })

  test('may stop themselves and others while they are woken', () => {
    const { watchers, called, log } = watching()
    const stop = watchers.watchKey('t', 'a', () => {
      stop()
      log('once')()
    })
    watchers.wake([change('a')])
    watchers.wake([change('a')])
    expect(called).toEqual(['once'])
  })

  test('all wake once after a restore', () => {
    const { watchers, called, log } = watching()
    const both = log('both')
    watchers.watchKey('t', 'a', both)
    watchers.watchPrefix('u', 'b', both)
    watchers.watchKey('u', 'c', log('one'))
    watchers.wakeAll()
    expect(called.sort()).toEqual(['both', 'one'])
  })
})

describe('behaviour/program#figures: 10,000 readers of a world that ends', () => {
  test('are woken in several turns of the event loop, once each; readers who leave in between are not woken', async () => {
    const { watchers } = watching()
    const woken: number[] = []
    const stops = Array.from({ length: 10_000 }, (_, n) => {
      const stop = watchers.watchReplacement(() => {
        woken.push(n)
        stop()
      })
      return stop
    })
    const done = watchers.wakeAllInTurns()
    const atOnce = woken.length
    expect(atOnce).toBeGreaterThan(0)
    expect(atOnce).toBeLessThan(1000)
    stops.at(-1)?.()
    await done
    expect(woken).toEqual(Array.from({ length: 9999 }, (_, n) => n))
  })
})

describe('behaviour/program#figures: 10,000 blocked readers', () => {
  test('one write wakes only the matching readers', () => {
    const { watchers } = watching()
    let woken = 0
    const stops = Array.from({ length: 10_000 }, (_, n) =>
      watchers.watchKey('t', `job/${n % 100}`, () => {
        woken += 1
      }),
    )
    watchers.wake([change('job/7')])
    expect(woken).toBe(100)
    for (const stop of stops) stop()
    watchers.wake([change('job/7')])
    expect(woken).toBe(100)
  })
})
