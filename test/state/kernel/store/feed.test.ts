import { describe, expect, test } from 'vitest'
import { ChangeFeed } from '../../../../state/kernel/store/commits.ts'

/** Returns a feed with a number of commits, of which it retains at least `reach`. */
function feedOf(commits: number, reach = 10): ChangeFeed {
  const feed = new ChangeFeed(reach)
  feed.retain()
  for (let n = 0; n < commits; n++) feed.append({ garden: n + 1 }, () => nothing)
  return feed
}

const sequences = (feed: ChangeFeed, since: number) =>
  feed.since(since)?.map(({ sequence }) => sequence)

/** Content of a commit without writes. */
const nothing = { changes: [], scheduledJobs: [] }

describe('behaviour/program#store: the change feed', () => {
  test('numbers commits from 1 and returns those after a position', () => {
    const feed = feedOf(3)
    expect(feed.sequence).toBe(3)
    expect(sequences(feed, 0)).toEqual([1, 2, 3])
    expect(sequences(feed, 2)).toEqual([3])
    expect(sequences(feed, 3)).toEqual([])
    expect(feed.since(1)).toEqual([
      { sequence: 2, indexes: { garden: 2 }, ...nothing },
      { sequence: 3, indexes: { garden: 3 }, ...nothing },
    ])
  })

  test('rejects a position that it has not reached', () => {
    expect(feedOf(3).since(4)).toBeUndefined()
  })

  // choice/process#feed-reach
  test('keeps at least `reach` commits and at most twice that number', () => {
    for (const commits of [19, 20, 21, 29, 30, 55]) {
      const feed = feedOf(commits)
      expect(sequences(feed, commits - 9)?.length).toBe(9)
      expect(feed.since(commits - 20)).toBeUndefined()
    }
  })

  test('notifies followers of each change until they stop', () => {
    const feed = new ChangeFeed()
    const sequences: number[] = []
    const stop = feed.follow(({ sequence }) => sequences.push(sequence))
    feed.append({}, () => nothing)
    feed.append({}, () => nothing)
    stop()
    feed.append({}, () => nothing)
    expect(sequences).toEqual([1, 2])
  })

  // choice/process#feed-reach
  test('keeps nothing without a reader, but the position advances', () => {
    const feed = new ChangeFeed()
    const unwanted = () => {
      throw new Error('nobody wants to know')
    }
    feed.append({}, unwanted)
    expect([feed.sequence, feed.since(1), feed.since(0)]).toEqual([1, [], undefined])
    const [first, second] = [feed.retain(), feed.retain()]
    feed.append({}, () => nothing)
    first()
    first()
    feed.append({}, () => nothing)
    expect(sequences(feed, 1)).toEqual([2, 3])
    expect(feed.since(0)).toBeUndefined()
    second()
    expect(feed.since(2)).toBeUndefined()
    feed.append({}, unwanted)
    expect(feed.sequence).toBe(4)
  })

  test('is cleared by a restart, which begins a new epoch', () => {
    const feed = feedOf(3)
    expect(feed.epoch).toBe(0)
    feed.restart(7)
    expect([feed.epoch, feed.sequence]).toEqual([1, 7])
    expect(feed.since(7)).toEqual([])
    expect(feed.since(6)).toBeUndefined()
    feed.append({}, () => nothing)
    expect(sequences(feed, 7)).toEqual([8])
  })
})
