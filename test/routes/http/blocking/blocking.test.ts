import { describe, expect, test } from 'vitest'
import {
  type BlockingRead,
  blockingRead,
  readWaitOptions,
} from '../../../../routes/http/blocking/blocking.ts'
import type { Connection } from '../../../../routes/http/blocking/connection.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, testWorld } from '../../../support/kernel.ts'

class TestConnection implements Connection {
  closed = false
  readonly listeners = new Set<() => void>()

  onClose(leave: () => void): () => void {
    this.listeners.add(leave)
    return () => this.listeners.delete(leave)
  }

  close(): void {
    this.closed = true
    for (const leave of this.listeners) leave()
  }
}

interface News {
  readonly index: number
  readonly text: string | undefined
}

function write(world: World, key: string, text = key): void {
  world.write(() => world.table(notes).put(key, { text }))
}

function reading(
  world: World,
  key: string,
  options: Partial<BlockingRead<News>> = {},
): BlockingRead<News> {
  return {
    world,
    index: world.store.index('garden'),
    wait: 10_000,
    jitter: false,
    connection: new TestConnection(),
    read: () => ({
      index: world.store.index('garden'),
      text: world.table(notes).get(key)?.text,
    }),
    ...options,
  }
}

/** Returns the list to which the answers of a read are added. */
function observe(options: BlockingRead<News>): { readonly answers: unknown[] } {
  const answers: unknown[] = []
  Promise.resolve(blockingRead(options)).then(
    (news) => answers.push(news),
    (error: unknown) => answers.push(error),
  )
  return { answers }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('index and wait (behaviour/mesh#blocking)', () => {
  test.for([
    [{}, { index: 0, wait: 300_000 }],
    [{ index: '' }, { index: 0, wait: 300_000 }],
    [{ index: '7' }, { index: 7, wait: 300_000 }],
    [{ index: '18446744073709551615' }, { index: 2 ** 64, wait: 300_000 }],
    [{ wait: '10s' }, { index: 0, wait: 10_000 }],
    [{ wait: '1m30s' }, { index: 0, wait: 90_000 }],
    [{ wait: '1ns' }, { index: 0, wait: 1 }],
    [{ wait: '10m' }, { index: 0, wait: 600_000 }],
    [{ wait: '11m' }, { index: 0, wait: 600_000 }],
    [{ wait: '0' }, { index: 0, wait: 300_000 }],
    [{ wait: '-5s' }, { index: 0, wait: 300_000 }],
  ] as const)('%o is parsed as %o', ([query, expected]) => {
    const parameters = new Map(Object.entries(query))
    expect(readWaitOptions((name) => parameters.get(name))).toEqual(expected)
  })

  test.for([
    [{ index: '-1' }, 'Invalid index'],
    [{ index: '1.5' }, 'Invalid index'],
    [{ index: 'abc' }, 'Invalid index'],
    [{ index: '18446744073709551616' }, 'Invalid index'],
    [{ wait: '10' }, 'Invalid wait time'],
    [{ wait: 'soon' }, 'Invalid wait time'],
    [{ wait: '5d' }, 'Invalid wait time'],
    [{ wait: 'x', index: 'x' }, 'Invalid wait time'],
  ] as const)('%o is refused: %s', ([query, message]) => {
    const parameters = new Map(Object.entries(query))
    expect(() => readWaitOptions((name) => parameters.get(name))).toThrow(message)
  })
})

describe('a blocking read (behaviour/mesh#blocking)', () => {
  test('answers at once without an index, and if the index has changed', () => {
    const world = testWorld()
    write(world, 'a')
    const index = world.store.index('garden')
    expect(blockingRead(reading(world, 'a', { index: 0 }))).toEqual({ index, text: 'a' })
    expect(blockingRead(reading(world, 'a', { index: index - 1 }))).toEqual({ index, text: 'a' })
  })

  test('waits for a change of the data that was read, and answers the changed data', async () => {
    const world = testWorld()
    const { answers } = observe(reading(world, 'a'))
    write(world, 'b')
    await turn()
    expect(answers).toEqual([])

    write(world, 'a', 'first')
    const index = world.store.index('garden')
    write(world, 'a', 'second')
    await turn()
    expect(answers).toEqual([{ index, text: 'first' }])
  })

  test('an index ahead of the current one keeps waiting through writes', async () => {
    const world = testWorld()
    const index = world.store.index('garden') + 2
    const { answers } = observe(reading(world, 'a', { index }))
    write(world, 'a', '1')
    write(world, 'a', '2')
    await turn()
    expect(answers).toEqual([])
    write(world, 'a', '3')
    await turn()
    expect(answers).toEqual([{ index: index + 1, text: '3' }])
  })

  test('a timeout answers the current data, at that instant of the world', async () => {
    const world = testWorld()
    const { answers } = observe(reading(world, 'a'))
    world.advance(9_999)
    await turn()
    expect(answers).toEqual([])
    world.advance(1)
    write(world, 'a')
    await turn()
    expect(answers).toEqual([{ index: world.store.index('garden') - 1, text: undefined }])
  })

  test('jitter adds at most a sixteenth, drawn from the world', async () => {
    const extras = new Set<number>()
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const world = testWorld({ seed })
      const began = world.clock.now()
      let ended: number | undefined
      observe(
        reading(world, 'a', {
          wait: 16_000,
          jitter: true,
          read: () => {
            ended = world.clock.now()
            return { index: 1, text: undefined }
          },
          index: 1,
        }),
      )
      world.advance(15_999)
      expect(ended).toBe(began)
      world.advance(1_001)
      expect(ended).toBeGreaterThanOrEqual(began + 16_000)
      expect(ended).toBeLessThanOrEqual(began + 17_000)
      extras.add((ended ?? 0) - began)
    }
    expect(extras.size).toBeGreaterThan(3)
  })

  test('a client that disconnects ends the wait without an answer', async () => {
    const world = testWorld()
    const connection = new TestConnection()
    let reads = 0
    const options = reading(world, 'a', { connection })
    const { answers } = observe({
      ...options,
      read: () => {
        reads += 1
        return options.read()
      },
    })
    connection.close()
    await turn()
    expect(answers).toEqual([undefined])
    write(world, 'a')
    world.advance(60_000)
    expect(reads).toBe(1)
  })

  test('a client that has disconnected already is not waited for', async () => {
    const connection = new TestConnection()
    connection.closed = true
    const { answers } = observe(reading(testWorld(), 'a', { connection }))
    await turn()
    expect(answers).toEqual([undefined])
  })

  test('a finished wait leaves no watchers behind', async () => {
    const world = testWorld()
    const connection = new TestConnection()
    observe(reading(world, 'a', { connection }))
    expect(connection.listeners.size).toBe(1)
    write(world, 'a')
    expect(connection.listeners.size).toBe(0)
  })

  test('a refusal of the read after it wakes is the answer', async () => {
    const world = testWorld()
    const refusal = new Error('no longer')
    let isAllowed = true
    const options = reading(world, 'a')
    const { answers } = observe({
      ...options,
      read: () => {
        if (!isAllowed) throw refusal
        return options.read()
      },
    })
    isAllowed = false
    expect(() => write(world, 'a')).not.toThrow()
    await turn()
    expect(answers).toEqual([refusal])
  })

  test('restoring, resetting and ending a world release its readers (behaviour/program#worlds)', async () => {
    const world = testWorld()
    write(world, 'a', 'before')
    const snapshot = world.snapshot()
    write(world, 'a', 'after')

    const restored = observe(reading(world, 'a'))
    world.restore(snapshot)
    await turn()
    expect(restored.answers).toEqual([{ index: 2, text: 'before' }])

    const reset = observe(reading(world, 'a'))
    world.reset()
    await turn()
    expect(reset.answers).toEqual([{ index: 1, text: undefined }])

    const closed = observe(reading(world, 'a'))
    world.close()
    const late = observe(reading(world, 'a'))
    await turn()
    expect(closed.answers).toEqual([{ index: 1, text: undefined }])
    expect(late.answers).toEqual([{ index: 1, text: undefined }])
  })

  test('a wait that watches nothing stored ends by timeout, and with the world', async () => {
    const world = testWorld()
    const read = () => ({ index: 1, text: 'fixed' })
    const timed = observe(reading(world, '', { index: 1, read }))
    write(world, 'a')
    await turn()
    expect(timed.answers).toEqual([])
    world.advance(10_000)
    await turn()
    expect(timed.answers).toEqual([{ index: 1, text: 'fixed' }])
    const ended = observe(reading(world, '', { index: 1, read }))
    world.close()
    await turn()
    expect(ended.answers).toEqual([{ index: 1, text: 'fixed' }])
  })

  test('the wait watches the data of the latest read', async () => {
    const world = testWorld()
    write(world, 'pointer', 'a')
    write(world, 'a', '1')
    let reads = 0
    const index = world.store.index('garden') + 10
    const { answers } = observe(
      reading(world, '', {
        index,
        read: () => {
          reads += 1
          const text = world.table(notes).get(world.table(notes).get('pointer')?.text ?? '')?.text
          return { index: text === 'end' ? index + 1 : 1, text }
        },
      }),
    )
    write(world, 'b', '2')
    expect(reads).toBe(1)
    write(world, 'pointer', 'b')
    expect(reads).toBe(2)
    write(world, 'a', '3')
    expect(reads).toBe(2)
    write(world, 'b', 'end')
    await turn()
    expect([reads, answers]).toEqual([3, [{ index: index + 1, text: 'end' }]])
  })
})
