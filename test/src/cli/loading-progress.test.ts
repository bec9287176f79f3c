import { describe, expect, test } from 'vitest'
import { LoadingProgress } from '../../../src/cli/loading-progress.ts'

/** Returns a progress note with a manual clock, and its output. */
function note(terminal: boolean, isAnnounced = false) {
  const output: string[] = []
  const time = { now: 5000 }
  const write = (text: string) => output.push(text)
  const created = new LoadingProgress({
    write,
    isTerminal: terminal,
    startedAt: 5000,
    isAnnounced,
    now: () => time.now,
  })
  const load = (entries: number) => {
    for (let n = 0; n < entries; n += 1) created.countLoadedEntry()
  }
  return { note: created, written: output, time, load }
}

describe('behaviour/program#command: loading fixtures', () => {
  test('nothing is printed within the first second', () => {
    const { note: created, written: output, time, load } = note(true)
    load(1000)
    time.now += 999
    created.update()
    created.end()
    expect(output).toEqual([])
  })

  test('an announced load is not announced again, but its duration is printed', () => {
    const { note: created, written: output, time, load } = note(false, true)
    time.now += 1000
    created.update()
    load(200)
    created.end()
    expect(output).toEqual(['loading fixtures: 200 entries in 1.0 s\n'])
  })

  test('a terminal sees how far it is, and how long it took', () => {
    const { note: created, written: output, time, load } = note(true)
    time.now += 1000
    created.update()
    load(250)
    time.now += 250
    load(1000)
    time.now += 1750
    created.end()
    expect(output).toEqual([
      '\rloading fixtures: …',
      '\rloading fixtures: … 300 entries',
      '\r\u001b[Kloading fixtures: 1,250 entries in 3.0 s\n',
    ])
  })

  test('elsewhere it is said once, with the time in the end', () => {
    const { note: created, written: output, time, load } = note(false)
    load(150)
    time.now += 2000
    load(50)
    time.now += 2000
    load(5000)
    created.end()
    expect(output).toEqual([
      'loading fixtures: … 200 entries\n',
      'loading fixtures: 5,200 entries in 4.0 s\n',
    ])
  })

  test('a refused start leaves no progress on a terminal, and no duration', () => {
    const { note: created, written: output, time } = note(true)
    created.cancel()
    expect(output).toEqual([])
    time.now += 1000
    created.update()
    created.cancel()
    expect(output).toEqual(['\rloading fixtures: …', '\r\u001b[K'])
  })
})
